"""Resources that are eaten up: hidden by keys of the bake while nothing is left of them."""

import bpy
import numpy as np

from tests.blender.animated import insert
from tests.blender.building import at_frames, empty, frames, sphere
from tests.blender.steered import bake, clear_bake, crowd, press, tag, use, vehicle

SWITCHES = ("hide_viewport", "hide_render")
LAST = 36
RANGE = np.arange(1, LAST + 1)


def food(amount: float = 1.0, **placed):
    """A dish before the ship with something on it."""
    dish = tag(empty(**{"name": "Food", "location": (0.0, 1.5, 0.0), **placed}), role="RESOURCE")
    dish.steering.amount = amount
    crumb = sphere(name="Crumb", location=(0.0, 0.0, 0.0), radius=0.1)
    crumb.parent = dish
    return dish, crumb


def eater():
    return vehicle(name="Ship", crowd=crowd(forage={"meal": 0.0, "distance": 0.0}))


def hidden(ob, at=RANGE) -> np.ndarray:
    """On which frames an object is hidden, alike in the viewport and in renders."""
    result = []
    for frame in at:
        bpy.context.scene.frame_set(int(frame))
        assert ob.hide_viewport == ob.hide_render
        result.append(ob.hide_viewport)
    return np.array(result)


def test_an_eaten_resource_is_hidden_from_then_on_with_its_parts() -> None:
    frames(1, LAST, fps=12)
    dish, crumb = food()
    eater()
    bake()
    away = hidden(dish)
    assert not away[:12].any() and away[-1]
    assert np.count_nonzero(np.diff(away)) == 1
    assert (hidden(crumb) == away).all()
    for curve in (c for c in _curves(dish) if c.data_path in SWITCHES):
        assert {key.interpolation for key in curve.keyframe_points} == {"CONSTANT"}


def test_what_is_eaten_in_a_state_is_hidden_too() -> None:
    frames(1, LAST, fps=12)
    dish, _ = food()
    ship = eater()
    ship.steering.crowd.steering.forage.use = False
    state = press("state_add", ship.steering.crowd)
    state.steering.forage.own = True
    use(state, forage={"resource": dish, "meal": 0.0, "distance": 0.0})
    press("cue_add", state, fade=0)
    bake()
    assert hidden(dish)[-1]


def test_a_resource_that_grows_again_is_visible_again() -> None:
    frames(1, 60, fps=12)
    dish, _ = food(location=(0.0, 3.0, 0.0))
    insert(dish, "steering.amount", {1: 0.0, 9: 0.0, 10: 1.0, 59: 1.0, 60: 9.0})
    eater()
    bake()
    away = hidden(dish, range(1, 61))
    assert away[:8].all() and not away[10:12].any() and away[-5:-2].all() and not away[-1]


def test_baking_again_gives_the_same_and_deleting_the_bake_restores_everything() -> None:
    frames(1, LAST, fps=12)
    dish, crumb = food()
    insert(dish, "location", {1: (0.0, 1.5, 0.0), LAST: (0.0, 1.6, 0.0)})
    ship = eater()
    bake()
    once = hidden(dish)
    bpy.context.scene.frame_set(1)
    bake()
    assert (hidden(dish) == once).all() and once.any()
    dish.steering.hide_eaten = False
    bpy.context.scene.frame_set(1)
    bake()
    assert not hidden(dish).any() and not hidden(crumb).any()
    bpy.context.scene.frame_set(1)
    clear_bake()
    assert not hidden(dish).any()
    assert crumb.animation_data is None and {c.data_path for c in _curves(dish)} == {"location"}
    bpy.context.scene.frame_set(1)
    assert ship.animation_data is None


def test_a_vehicle_parented_to_a_resource_is_not_a_part_of_it(preview) -> None:
    frames(1, LAST, fps=12)
    dish, crumb = food()
    rider = vehicle(name="Rider", location=(0.0, 0.0, 1.0), crowd=crowd("Riders", wander={}))
    rider.parent = dish
    eater()
    on(preview)
    assert drawn(LAST - 2, [crumb, rider]) == [False, True]
    preview.end()
    bake()
    assert hidden(dish).any() and not hidden(rider).any()


def test_a_linked_resource_is_eaten_and_stays_visible(tmp_path) -> None:
    frames(1, LAST, fps=12)
    dish, _ = food()
    path = str(tmp_path / "kitchen.blend")
    bpy.data.libraries.write(path, {dish})
    bpy.data.objects.remove(dish)
    with bpy.data.libraries.load(path, link=True) as (_there, wanted):
        wanted.objects = ["Food"]
    dish = bpy.data.objects["Food"]
    bpy.context.scene.collection.objects.link(dish)
    ship = eater()
    bake()
    assert not hidden(dish).any()
    bpy.context.scene.frame_set(LAST)
    assert (ship.matrix_world.translation - dish.matrix_world.translation).length > 1.0, "it left"


def _curves(ob) -> list:
    action = ob.animation_data.action if ob.animation_data else None
    if action is None:
        return []
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def on(preview) -> None:
    preview.start(bpy.context.scene, bpy.context.view_layer)


def drawn(frame: int, obs) -> list[bool]:
    """Which of the objects the viewport draws on a frame."""
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    names = {i.object.original.name for i in depsgraph.object_instances if i.matrix_world.determinant()}
    return [ob.name in names for ob in obs]


def pasture() -> list:
    """Dishes, one of which moves, that vehicles eat up one after the other, and the vehicles."""
    frames(1, LAST, fps=12)
    bread = tag(sphere(name="Bread", location=(1.0, 1.8, 0.0), radius=0.4), role="RESOURCE")
    bread.steering.amount = 0.5
    insert(bread, "location", {1: (1.0, 1.8, 0.0), LAST: (1.2, 2.4, 0.0)})
    ship = eater()
    return [*food(), bread, ship, vehicle(name="Other", location=(1.0, 0.0, 0.0), crowd=ship.steering.crowd)]


def test_a_preview_hides_eaten_resources_exactly_as_the_bake(preview) -> None:
    obs = pasture()
    on(preview)
    seen = [drawn(frame, obs) for frame in RANGE]
    places = [tuple(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).location) for ob in obs]
    assert [drawn(int(frame), obs) for frame in (30, 10, LAST, 20)] == [seen[29], seen[9], seen[-1], seen[19]]
    preview.end()
    assert drawn(LAST, obs) == [True] * len(obs)
    bpy.context.scene.frame_set(1)
    bake()
    assert [drawn(frame, obs) for frame in RANGE] == seen
    assert [tuple(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).location) for ob in obs] == places
    assert [any(row) and not all(row) for row in zip(*seen)] == [True, True, True, False, False]


def test_a_preview_shows_remaining_resources_that_a_bake_hides(preview) -> None:
    obs = pasture()
    dish, crumb, *_ = obs
    bake()
    assert drawn(LAST - 2, [dish, crumb]) == [False, False]
    on(preview)
    assert drawn(LAST - 2, [dish, crumb]) == [False, False]
    dish.steering.amount = 1000.0
    assert drawn(LAST - 2, [dish, crumb]) == [True, True]
    dish.steering.amount = 1.0
    assert drawn(LAST - 2, [dish, crumb]) == [False, False]
    dish.steering.hide_eaten = False
    assert drawn(LAST - 2, [dish, crumb]) == [True, True]
    preview.end()
    assert drawn(LAST - 2, [dish, crumb]) == [False, False]


def test_a_carried_resource_is_hidden_with_its_carrier_and_when_eaten_up(preview) -> None:
    frames(1, LAST, fps=12)
    dish, crumb = food(location=(0.0, 0.0, 0.0))
    waiter = vehicle(name="Waiter", location=(0.0, 3.0, 0.0), crowd=crowd("Waiters", rest={}), start_speed=0.0)
    waiter.steering.crowd.steering.vehicle.cruise_speed = 0.0
    waiter.steering.use_enter_frame, waiter.steering.enter_frame = True, 5
    dish.parent = waiter
    eater()
    obs = [waiter, dish, crumb]
    on(preview)
    seen = [drawn(frame, obs) for frame in RANGE]
    assert seen[3:5] == [[False] * 3, [True] * 3] and seen[-1] == [True, False, False]
    preview.end()
    bpy.context.scene.frame_set(1)
    bake()
    assert [drawn(frame, obs) for frame in RANGE] == seen


def test_a_target_parented_to_an_eaten_resource_stays_in_place(preview) -> None:
    frames(1, LAST, fps=12)
    dish, crumb = food()
    crumb.location = (3.0, 0.0, 0.0)
    eater()
    guest = vehicle(name="Guest", location=(6.0, 0.0, 0.0), crowd=crowd("Guests", seek={"target": crumb}))
    on(preview)
    places = []
    for _ in at_frames(RANGE.tolist()):
        places.append(tuple(guest.evaluated_get(bpy.context.evaluated_depsgraph_get()).location))
    assert not any(drawn(LAST, [dish, crumb]))
    preview.end()
    bpy.context.scene.frame_set(1)
    bake()
    for frame in at_frames((20, 30, LAST)):
        assert tuple(guest.location) == places[frame - 1]
