"""The overlay draws objects where the simulation sees them. The drawing itself is not tested."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.building import at_frames, empty, frames, meshed, part, path_curve, put, sphere, wedge
from tests.blender.drawing import Layout
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.seen import baked_frames, places
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, press, road, select, tag, use, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

ALL = {"FRONT", "VELOCITY", "TARGETS", "TRAILS", "PATHS", "OBSTACLES", "REGIONS", "FORCES", "SURFACES", "WAYS"}


def drawn(*items: str, requests=(), tracks=None):
    """The picture of the current scene with only these items."""
    pictures = part("blender.overlay.picture")
    scene, layer = bpy.context.scene, bpy.context.view_layer
    depsgraph = bpy.context.evaluated_depsgraph_get()
    tracks = tracks or part("blender.overlay.tracks").Tracks()
    return pictures.picture(scene, depsgraph, pictures.find_cast(scene, layer), tracks, requests, frozenset(items))


def points(picture) -> np.ndarray:
    """All points of a picture, (m, 3)."""
    lines = [points for points, _ in (*picture.hidden, *picture.open)]
    return np.concatenate(lines).astype(float) if lines else np.zeros((0, 3))


def colored(picture, name: str) -> np.ndarray:
    """The points of a color, (m, 3)."""
    color = getattr(part("blender.overlay.picture"), name)
    parts = [p for p, c in (*picture.hidden, *picture.open) if np.allclose(c[0], color)]
    return np.concatenate(parts).astype(float) if parts else np.zeros((0, 3))


def floor(name: str, location, size: float):
    """A square floor with a corner at a place."""
    corners = [(0, 0, 0), (size, 0, 0), (size, size, 0), (0, size, 0)]
    return tag(meshed(name, corners, [(0, 1, 2, 3)], location=location), role="SURFACE")


def test_ways_are_drawn_where_walkers_can_go_and_where_they_cannot_with_what_ends_them() -> None:
    walkers = crowd("Walkers", wander={})
    walkers.steering.locomotion = "ON_FOOT"
    floor("Ground", (0.0, 0.0, 0.0), 10.0)
    floor("Stage", (10.0, 0.0, 0.7), 4.0)
    person = vehicle(name="Person", location=(2.0, 2.0, 0.0), crowd=walkers)
    obstacle(sphere("Pillar", (5.0, 5.0, 1.0)))
    ways, depsgraph = part("blender.overlay.ways"), bpy.context.evaluated_depsgraph_get()
    drawn_by = {}
    for lines, _, name in ways.way_lines([person], bpy.context.scene, depsgraph).lines:
        drawn_by.setdefault(name, []).append(lines)
    on_stage, on_ground = np.concatenate(drawn_by["Out of Reach"]), np.concatenate(drawn_by["Walkable"])
    assert len(on_stage) and (on_stage[:, 0] > 9.5).all() and (on_stage[:, 2] > 0.7).all()
    assert len(on_ground) and (on_ground[:, 0] < 10.5).all() and (on_ground[:, 2] < 0.5).all()
    assert (np.linalg.norm(on_ground[:, :2] - 5.0, axis=1) > 0.9).all(), "not within the pillar"
    riser = np.concatenate(drawn_by["Higher than a Step"])
    assert len(riser) and (np.abs(riser[:, 0] - 10.0) < 1.0).all()
    assert not len(np.concatenate(drawn_by["Lower than Headroom"]))
    person.location.x = 11.0
    bpy.context.view_layer.update()
    assert not any(
        name == "Out of Reach" and (lines[:, 0] > 10.5).any()
        for lines, _, name in ways.way_lines([person], bpy.context.scene, depsgraph).lines
    ), "what is out of reach depends on where they are"


def test_a_flow_along_edges_is_drawn_with_its_direction() -> None:
    mesh = tag(meshed("Wire", [(0, 0, 0), (0, 4, 0), (0, 8, 0)], edges=[(0, 1), (1, 2)]), role="FLOW").data
    lines = colored(drawn("PATHS"), "FLOW")
    assert lines[:, 1].max() == pytest.approx(8.0, abs=1e-5) and lines[:, 1].min() == pytest.approx(0.0, abs=1e-5)
    barbs = lines[np.abs(lines[:, 0]) > 1e-6]
    tips = lines[np.flatnonzero(np.abs(lines[:, 0]) > 1e-6) - 1]
    assert len(barbs) and (tips[:, 1] > barbs[:, 1]).all()
    mesh.attributes.new("flow_reversed", "BOOLEAN", "EDGE").data[0].value = True
    mesh.update()
    lines = colored(drawn("PATHS"), "FLOW")
    assert (lines[np.flatnonzero(np.abs(lines[:, 0]) > 1e-6) - 1, 1] < lines[np.abs(lines[:, 0]) > 1e-6, 1]).all()


def test_a_link_is_drawn_with_the_directions_in_which_it_leads() -> None:
    start, end = tag(empty("Start"), role="LINK"), empty("End", (0.0, 6.0, 0.0))
    assert not len(colored(drawn("PATHS"), "LINK"))
    start.steering.link.to = end

    def barbs() -> np.ndarray:
        """How far the ends of the marks are ahead of their tips."""
        lines = colored(drawn("PATHS"), "LINK")
        aside = np.flatnonzero(np.abs(lines[:, 0]) > 1e-6)
        return lines[aside - 1, 1] - lines[aside, 1]

    assert (barbs() > 0.0).any() and (barbs() < 0.0).any()
    start.steering.link.both_ways = False
    assert (barbs() > 0.0).all() and len(barbs())


def test_a_signal_is_drawn_with_a_line_to_the_lane_that_it_holds() -> None:
    tag(path_curve("Road", [(-8.0, 0.0, 0.0), (8.0, 0.0, 0.0)]), role="PATH")
    other = tag(path_curve("Other", [(-8.0, 9.0, 0.0), (8.0, 9.0, 0.0)]), role="PATH")
    light = tag(empty("Light", (1.0, 2.0, 0.0)), role="SIGNAL")
    assert colored(drawn("PATHS"), "GREEN")[:, 1].tolist() == pytest.approx([2.0, 0.0], abs=1e-5)
    light.steering.green, light.steering.signal_path = False, other
    assert colored(drawn("PATHS"), "RED")[:, 1].tolist() == pytest.approx([2.0, 9.0], abs=1e-5)


def test_a_painted_flow_is_drawn_as_arrows_where_it_is_not_gray() -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, size=8.0)
    floor = bpy.context.object
    paint = floor.data.color_attributes.new("Paint", "FLOAT_COLOR", "POINT")
    for vertex, item in zip(floor.data.vertices, paint.data):
        item.color = (1.0, 0.5, 0.5, 1.0) if vertex.co.x > -1.0 else (0.5, 0.5, 0.5, 1.0)
    tag(floor, role="FLOW")
    shafts = colored(drawn("PATHS"), "FLOW").reshape(-1, 3, 2, 3)[:, 0]
    direction = shafts[:, 1] - shafts[:, 0]
    assert len(direction) and (direction[:, 0] > 0.0).all() and np.abs(direction[:, 1:]).max() < 1e-6
    assert shafts[:, :, 0].min() > -4.0 + 1e-3


def test_a_mesh_region_is_drawn_on_its_surface() -> None:
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(5.0, 1.0, 0.0), rotation=(0.0, 0.0, math.pi / 4))
    room = tag(bpy.context.object, role="REGION")
    room.data.vertices[0].co.x = -3.0
    room.steering.region_shape = "MESH"
    bpy.context.view_layer.update()
    corners = np.array([room.matrix_world @ vertex.co for vertex in room.data.vertices])
    lines = colored(drawn("REGIONS"), "REGION")
    nearest = np.linalg.norm(lines[:, None] - corners[None], axis=2)
    assert nearest.min(axis=1).max() < 1e-4 and nearest.min(axis=0).max() < 1e-4


def test_the_front_arrow_points_along_the_forward_axis() -> None:
    ship = vehicle(wedge(location=(1.0, 2.0, 3.0), rotation=(0.0, 0.0, math.pi / 2)))
    for axis, direction in (("POS_Y", (-1.0, 0.0, 0.0)), ("NEG_Y", (1.0, 0.0, 0.0)), ("POS_X", (0.0, 1.0, 0.0))):
        ship.steering.forward_axis = axis
        select(ship)
        arrow = colored(drawn("FRONT"), "FRONT")[:2]
        radius = ship.steering.crowd.steering.vehicle.radius
        assert np.allclose(arrow[1] - arrow[0], np.array(direction) * radius, atol=1e-5)


def test_only_selected_vehicles_or_those_of_a_selected_crowd_are_drawn() -> None:
    ships = fleet(3)
    select(ships[1])
    assert len(colored(drawn("FRONT"), "FRONT")) == 6 + 2
    select(ships[0].steering.crowd)
    assert len(colored(drawn("FRONT"), "FRONT")) == 3 * (6 + 2)
    select()
    assert len(points(drawn("FRONT"))) == 0


def test_obstacles_regions_and_paths_are_drawn_unless_hidden() -> None:
    ball = obstacle(sphere(location=(5.0, 0.0, 0.0), radius=2.0))
    room = tag(empty("Room", (0.0, 9.0, 0.0)), role="REGION")
    path = road(name="Way")
    walkers = crowd(path_following={"radius": 0.5})
    picture = drawn(*ALL)
    assert np.allclose(np.linalg.norm(colored(picture, "OBSTACLE") - (5.0, 0.0, 0.0), axis=1), 2.0, atol=0.02)
    assert np.allclose(colored(picture, "REGION").mean(axis=0), (0.0, 9.0, 0.0), atol=0.1)
    width = colored(picture, "WIDTH")
    assert width[:, 0].max() == pytest.approx(0.5, abs=1e-5)
    walkers.steering.path_following.lane_offset = 2.0
    for direction, sides in (("FORWARD", {2.0}), ("BACKWARD", {-2.0}), ("EITHER", {-2.0, 2.0})):
        walkers.steering.path_following.direction = direction
        marks = colored(drawn(*ALL), "PATH")
        middles = {round(float(x)) for x in marks[:, 0] if abs(abs(x) - 2.0) < 0.01}
        assert middles == sides, "the lanes"
    walkers.steering.path_following.use = False
    assert len(colored(drawn(*ALL), "WIDTH")) == 0
    for ob in (ball, room, path):
        ob.hide_set(True)
    assert len(points(drawn(*ALL))) == 0


def test_a_mesh_obstacle_is_drawn_by_its_edges() -> None:
    ship = wedge(location=(5.0, 1.0, 0.0), rotation=(0.0, 0.0, 0.7), scale=(2.0, 1.0, 1.0))
    obstacle(ship).steering.obstacle_shape = "MESH"
    edges = colored(drawn("OBSTACLES"), "OBSTACLE")
    corners = np.array([ship.matrix_world @ vertex.co for vertex in ship.data.vertices])
    distance = np.linalg.norm(edges[:, None] - corners[None], axis=2)
    assert distance.min(axis=1).max() < 1e-4 and distance.min(axis=0).max() < 1e-4
    pairs = {tuple(sorted(pair)) for pair in np.argmin(distance, axis=1).reshape(-1, 2).tolist()}
    assert len(pairs) == 6


def test_obstacles_are_measured_again_only_when_their_shape_changes() -> None:
    watching, pictures, scene = part("blender.overlay.watching"), part("blender.overlay.picture"), bpy.context.scene
    ball, other = obstacle(sphere(name="Ball", radius=1.0)), wedge(location=(9.0, 0.0, 0.0))
    layer = bpy.context.view_layer
    cast = pictures.find_cast(scene, layer)
    assert pictures.find_cast(scene, layer, cast).things is cast.things
    ball.steering.obstacle_shape = "BOX"
    assert pictures.find_cast(scene, layer, cast).things is not cast.things
    layer.update()
    noticed = []

    def listen(_scene, depsgraph) -> None:
        noticed.append(watching._reshapes(depsgraph, cast))

    bpy.app.handlers.depsgraph_update_post.append(listen)
    try:
        other.location.x += 1.0
        layer.update()
        ball.scale.x = 3.0
        layer.update()
        ball.data.vertices[0].co.x += 1.0
        ball.data.update()
        layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(listen)
    assert noticed == [False, True, True]


def test_target_lines_lead_to_the_nearest_leader_or_to_the_set_target() -> None:
    leader(location=(10.0, 0.0, 0.0), name="Far")
    leader(location=(3.0, 0.0, 0.0), name="Near")
    ship = vehicle(crowd=crowd(seek={}))
    select(ship)
    assert np.allclose(colored(drawn("TARGETS"), "TARGET"), [(0, 0, 0), (3, 0, 0)])
    ship.steering.crowd.steering.seek.target = bpy.data.objects["Far"]
    assert np.allclose(colored(drawn("TARGETS"), "TARGET"), [(0, 0, 0), (10, 0, 0)])
    ship.steering.crowd.steering.seek.use = False
    assert len(colored(drawn("TARGETS"), "TARGET")) == 0


def test_a_target_line_leads_to_a_target_with_applied_transforms_where_it_is_seen() -> None:
    block = wedge("Block")
    block.data.transform(Matrix.Translation((0.0, 20.0, 0.0)))
    ship = vehicle(crowd=crowd(seek={"target": block}))
    select(ship)
    start, end = colored(drawn("TARGETS"), "TARGET")
    assert np.allclose(start, 0.0) and np.allclose(end, np.mean(block.bound_box, axis=0))


def test_target_lines_lead_to_the_nearest_object_of_a_collection_or_crowd() -> None:
    hunters = crowd(seek={})
    ship = vehicle(crowd=hunters, name="Hunter")
    prey = crowd("Prey")
    for k in (4, 2):
        vehicle(crowd=prey, name=f"Sheep {k}", location=(0.0, float(k), 0.0))
    hunters.steering.seek.target = prey
    select(ship)
    assert np.allclose(colored(drawn("TARGETS"), "TARGET"), [(0, 0, 0), (0, 2, 0)])
    hunters.steering.seek.target = None
    goals = bpy.data.collections.new("Goals")
    bpy.context.scene.collection.children.link(goals)
    for k in (7, 9):
        goals.objects.link(bpy.data.objects.new(f"Goal {k}", None))
        goals.objects[-1].location.x = k
    bpy.context.view_layer.update()
    hunters.steering.seek.target_collection = goals
    assert np.allclose(colored(drawn("TARGETS"), "TARGET"), [(0, 0, 0), (7, 0, 0)])
    hunters.steering.seek.target_choice = "NEXT"
    assert len(colored(drawn("TARGETS"), "TARGET")) == 0


@pytest.mark.parametrize("parented", [False, True])
def test_a_trail_follows_a_baked_vehicle(parented: bool) -> None:
    frames(1, 12)
    ship = vehicle(crowd=crowd(wander={}))
    if parented:
        ship.parent = put(empty("Carrier"), (1.0, 2.0, 3.0), (0.3, 0.2, 0.1))
        bpy.context.view_layer.update()
    bake()
    tracks = part("blender.overlay.tracks").Tracks()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    known_frames, positions = tracks.between(ship, depsgraph, -5, 50)
    assert known_frames.tolist() == list(range(1, 13))
    assert np.allclose(positions, places(ship, baked_frames()), atol=1e-4)
    velocity = tracks.velocity(ship, depsgraph, 5, 1.0 / 24.0)
    assert np.allclose(velocity, (positions[5] - positions[4]) * 24.0, atol=1e-3)
    bpy.context.scene.frame_set(6)
    select(ship)
    trail = points(drawn("TRAILS", tracks=tracks))
    assert np.allclose(trail.reshape(-1, 2, 3)[:, 0], positions[:-1], atol=1e-4)


def test_a_trail_follows_the_preview_and_not_the_keys() -> None:
    frames(1, 12)
    goal = leader(location=(0.0, 90.0, 0.0))
    ship = vehicle(crowd=crowd(seek={}))
    bake()
    baked = places(ship, [11])[0]
    goal.location = (0.0, -90.0, 0.0)
    select(ship)
    watching, scene, layer = part("blender.overlay.watching"), bpy.context.scene, bpy.context.view_layer
    watched = watching._scenes[scene.session_uid] = watching._Watched()
    try:
        watched.cast = part("blender.overlay.picture").find_cast(scene, layer)
        assert bpy.ops.steering.preview() == {"FINISHED"}
        for _ in at_frames(range(1, 12)):
            watching._redraw(scene, layer.depsgraph, [])
        known_frames, positions = watched.tracks.between(ship, layer.depsgraph, 1, 12)
        assert known_frames.tolist() == list(range(1, 12))
        assert np.allclose(positions[-1], ship.evaluated_get(layer.depsgraph).matrix_world.translation)
        assert np.linalg.norm(positions[-1] - baked) > 0.05
        assert watched.tracks.velocity(ship, layer.depsgraph, 11, 1.0 / 24.0) is not None
    finally:
        part("blender.preview").end()
        watching.end()


def test_without_a_bake_a_trail_follows_the_recorded_positions() -> None:
    ship = vehicle()
    tracks = part("blender.overlay.tracks").Tracks()
    for frame in (3, 4, 5, 9):
        ship.location.x = float(frame)
        bpy.context.view_layer.update()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        tracks.record([ship], depsgraph, frame)
    known_frames, positions = tracks.between(ship, depsgraph, 4, 20)
    assert known_frames.tolist() == [4, 5, 9] and positions[:, 0].tolist() == [4.0, 5.0, 9.0]
    assert tracks.velocity(ship, depsgraph, 4, 0.5)[0] == pytest.approx(2.0)
    assert tracks.velocity(ship, depsgraph, 9, 0.5) is None
    tracks.keep_only([])
    assert len(tracks.between(ship, depsgraph, 0, 20)[0]) == 0


def requests_of(*ships) -> list:
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    tracks = part("blender.overlay.tracks").Tracks()
    return part("blender.overlay.ways").requested_forces(list(ships), bpy.context.scene, depsgraph, tracks)


def test_each_behavior_requests_a_force_and_the_combined_force_is_limited() -> None:
    leader(location=(0.0, 5.0, 0.0))
    ships = crowd(seek={}, flee={"weight": 3.0}, wander={})
    ships.steering.combining = "WEIGHTED_SUM"
    ship = vehicle(crowd=ships, start_speed=0.0)
    (request,) = requests_of(ship)
    assert set(request.by_behavior) == {"seek", "flee", "wander"}
    assert request.by_behavior["seek"][1] > 0.0 > request.by_behavior["flee"][1]
    assert np.linalg.norm(request.combined) <= ships.steering.vehicle.max_force + 1e-9
    assert request.combined[1] < 0.0


def test_forces_are_those_of_the_state_in_which_a_cue_has_the_vehicle() -> None:
    goal = leader(location=(0.0, 5.0, 0.0))
    ship = vehicle(crowd=crowd(seek={}), start_speed=0.0)
    press("state_add", ship.steering.crowd)
    flees = bpy.context.object
    use(flees, flee={"target": goal})
    flees.steering.state.cue, flees.steering.flee.own = 1.0, True
    flees.steering.seek.own, flees.steering.seek.use = True, False
    flees.steering.vehicle.own, flees.steering.vehicle.max_force = True, 2.0
    (request,) = requests_of(ship)
    assert set(request.by_behavior) == {"flee"} and request.by_behavior["flee"][1] < 0.0
    assert request.max_force == 2.0


def test_forces_are_requested_at_the_current_position() -> None:
    frames(1, 10)
    goal = leader(location=(0.0, 50.0, 0.0))
    ship = vehicle(crowd=crowd(seek={}), start_speed=0.0)
    bake()
    goal.location = (0.0, -50.0, 0.0)
    bpy.context.scene.frame_set(8)
    (request,) = requests_of(ship)
    assert np.allclose(request.position, ship.matrix_world.translation, atol=1e-5)
    assert request.by_behavior["seek"][1] < 0.0


def test_a_vehicle_without_a_track_has_its_start_speed() -> None:
    """At top speed toward its target, seek requests no force."""
    leader(location=(0.0, 50.0, 0.0))
    ship = vehicle(crowd=crowd(seek={}), start_speed=1.0)
    ship.steering.forward_axis, ship.steering.up_axis = "POS_Y", "POS_Z"
    (request,) = requests_of(ship)
    assert np.abs(request.by_behavior["seek"]).max() < 1e-6
    ship.steering.start_speed = 0.0
    (request,) = requests_of(ship)
    assert request.by_behavior["seek"][1] > 1.0


def test_drawing_changes_nothing_in_the_file() -> None:
    curve = road()
    curve.data.bevel_depth = 0.1
    obstacle()
    ships = fleet(2)
    use(ships[0].steering.crowd, path_following={}, wander={})
    select(*ships)
    before = scene_dump()
    requests = requests_of(*ships)
    assert len(requests) == 2
    picture = drawn(*ALL, requests=requests)
    assert [label for label, _ in picture.legend][-1] == "Combined"
    assert_same(before, scene_dump())


def test_a_scene_that_cannot_be_baked_shows_no_forces() -> None:
    ship = vehicle()
    bpy.data.objects.remove(ship.steering.crowd)
    watching = part("blender.overlay.watching")
    cast = part("blender.overlay.picture").find_cast(bpy.context.scene, bpy.context.view_layer)
    watched = watching._Watched(cast=cast)
    select(ship)
    cast.vehicles.append(ship)
    assert watching._requests(watched, bpy.context.scene, bpy.context.evaluated_depsgraph_get()) == []


def test_a_removed_object_is_no_longer_drawn() -> None:
    watching, scene = part("blender.overlay.watching"), bpy.context.scene
    ship = vehicle()
    select(ship)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    watched = watching._scenes[scene.session_uid] = watching._Watched()
    try:
        watched.cast = part("blender.overlay.picture").find_cast(scene, bpy.context.view_layer)
        watching._redraw(scene, depsgraph, [])
        assert len(points(watched.picture))
        bpy.data.objects.remove(ship)
        watching._redraw(scene, depsgraph, [])
        assert watched.cast is None and not len(points(watched.picture))
    finally:
        watching.end()


def test_the_overlay_adds_no_handlers_in_background_mode_and_removes_them_all() -> None:
    watching = part("blender.overlay.watching")
    called = [(handler, getattr(bpy.app.handlers, moment)) for moment, handler in watching.HANDLERS.items()]
    for handler, handlers in called:
        assert handler not in handlers
    assert not part("blender.overlay")._handles
    watching.begin()
    assert all(handler in handlers for handler, handlers in called)
    watching.end()
    assert not any(handler in handlers for handler, handlers in called)
    assert not bpy.app.timers.is_registered(watching._update)


def test_the_popover_shows_the_switches_once_steering_is_used() -> None:
    shown: list[tuple] = []
    display = part("blender.panels.display")
    display.show_switch(type("Drawn", (), {"layout": Layout(shown)})(), bpy.context)
    assert shown == []
    crowd()
    display.show_switch(type("Drawn", (), {"layout": Layout(shown)})(), bpy.context)
    assert ("prop", "show_overlay") in shown and ("prop", "overlay") in shown
