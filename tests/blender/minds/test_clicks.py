"""The six scenes of the paper's top layer, by what the panels offer alone, in few clicks each.

A click on an object counts as one, and so do a button, an entry of a menu and a field that is set. Each scene begins
with tagged crowds of plain objects that graze or walk.
"""

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, crowd, empty, frames, part, select, vehicle, wedge
from tests.sampling import thorough


class Hand:
    """Clicks, and counts them."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, *objects) -> None:
        """Click an object, and Shift-click others, of which the last is the active one then."""
        self.clicks += len(objects)
        select(*objects)
        bpy.context.view_layer.objects.active = objects[-1]

    def press(self, operator: str, **choice) -> bpy.types.Object:
        """Press a button or choose an entry of a menu; the object that is active then."""
        self.clicks += 1
        assert getattr(bpy.ops.steering, operator)(**choice) == {"FINISHED"}
        return bpy.context.object

    def set(self, group, name: str, value) -> None:
        """Set a field."""
        self.clicks += 1
        setattr(group, name, value)


def grazing(name: str, places, *, speed: float, first: int, size: float = 1.0, **behaviors):
    """A crowd of slow vehicles in some places."""
    owner = crowd(name, **behaviors)
    owner.steering.vehicle.max_speed, owner.steering.vehicle.max_force = speed, 3.0 * speed
    owner.steering.vehicle.cruise_speed, owner.steering.locomotion = 0.3, "PLANAR"
    members = [
        vehicle(wedge(f"{name} {k}", (x, y, 0.0), size=size), crowd=owner, identity=first + k)
        for k, (x, y) in enumerate(places)
    ]
    for ob in members:
        ob.steering.start_speed = 0.2
    return owner, members


def field(side: int, apart: float = 2.0, at=(0.0, 0.0)) -> list:
    return [(at[0] + apart * (k % side), at[1] + apart * (k // side)) for k in range(side * side)]


GRAZES = {"wander": {"strength": 0.3, "vertical": 0.0}, "separation": {"distance": 1.6}}


def places(members, on: int) -> np.ndarray:
    """Where they are on a frame, (n, 3)."""
    bpy.context.scene.frame_set(on)
    return np.array([ob.matrix_world.translation for ob in members])


def histories(members) -> list[list[tuple[float, str]]]:
    """The frames on which each took up a state, and its name; "" for the crowd's own settings."""
    kept = part("blender.animation.run_records").outcome_of
    return [[(each.frame, each.state) for each in kept(ob).states] for ob in members]


def taken_up(members, state: str) -> list[float]:
    return [frame for told in histories(members) for frame, name in told if name == state]


def test_caribou_run_from_a_wolf_in_five_clicks() -> None:
    _, members = grazing("Caribou", field(4), speed=2.0, first=100, **GRAZES)
    wolf = empty("Wolf", (3.0, -4.0, 0.0))
    frames(1, 72)
    hand = Hand()
    hand.click(members[5])
    hand.press("state_add", preset="startle")
    hand.click(wolf)
    trigger = hand.press("trigger_add", when="NEAR")
    hand.set(trigger.steering.trigger, "distance", 7.0)
    bake()
    off = [np.linalg.norm(places(members, frame) - np.array(wolf.location), axis=1) for frame in (1, 72)]
    assert hand.clicks <= 5 and (off[1] > off[0] + 3.0).all()
    # The nearest first, one by one; those whom it is too far away for run because of the others.
    begins = [told[0][0] for told in histories(members)]
    assert (off[0] > 7.0).any() and np.corrcoef(off[0], begins)[0, 1] > 0.6


@thorough
def test_an_alarm_goes_through_sheep_that_gather_again_in_six_clicks() -> None:
    _, members = grazing("Sheep", field(6, 1.8), speed=1.6, first=100, **GRAZES, cohesion={"distance": 12.0})
    dog = empty("Dog", (-80.0, 4.5, 0.0))
    for frame, x in ((1, -80.0), (40, -8.0), (72, -8.0), (96, -80.0)):
        dog.location.x = x
        dog.keyframe_insert("location", frame=frame)
    frames(1, 420)
    hand = Hand()
    hand.click(members[7])
    state = hand.press("state_add", preset="startle")
    hand.click(dog)
    trigger = hand.press("trigger_add", when="NEAR")
    hand.set(trigger.steering.trigger, "distance", 10.0)
    hand.set(state.steering.state, "lasts", 3.0)
    bake()
    begins = taken_up(members, "Startle")
    assert hand.clicks <= 6 and len(begins) >= 0.9 * len(members)
    assert max(begins) - min(begins) <= 72 and len(set(begins)) > 6
    spread = [np.linalg.norm(at - at.mean(axis=0), axis=1).mean() for at in (places(members, f) for f in (1, 420))]
    assert len(taken_up(members, "Regroup")) >= 0.9 * len(members) and spread[1] < 1.5 * spread[0]


@thorough
def test_a_cowboy_fetches_each_stray_in_twelve_clicks() -> None:
    away = [(20.0, 16.0), (-14.0, -12.0)]
    together = {**GRAZES, "cohesion": {"distance": 8.0}, "containment": {}}
    herd, cows = grazing("Cows", [*field(3, 2.5), *away], speed=2.0, first=100, **together)
    riders, cowboys = grazing("Riders", [(12.0, 8.0), (-8.0, 4.0), (4.0, -10.0)], speed=6.0, first=200)
    meadow = empty("Meadow", (2.5, 2.5, 0.0))
    meadow.empty_display_type, meadow.empty_display_size = "SPHERE", 7.0
    select(meadow)
    assert bpy.ops.steering.tag(role="REGION") == {"FINISHED"}
    herd.steering.containment.region = meadow
    riders.steering.vehicle.cruise_speed = 0.0
    frames(1, 360)
    hand = Hand()
    hand.click(cows[0])
    hand.press("state_add", preset="stray")
    hand.click(cowboys[0])
    hand.press("behavior_add", behavior="post")
    fetch = hand.press("state_add", preset="fetch")
    hand.set(fetch.steering.drive, "home_distance", 6.0)
    bake()
    middle = np.array([2.5, 2.5, 0.0])
    off = [np.linalg.norm(places(cows[-2:], frame) - middle, axis=1) for frame in (1, 360)]
    assert hand.clicks <= 12 and (off[0] > 15.0).all() and (off[1] < 10.0).all()
    assert sorted(len(told) > 0 for told in histories(cowboys)) == [False, True, True]


@thorough
def test_commuters_read_the_board_and_leave_in_twelve_clicks() -> None:
    walkers, people = grazing("People", field(5, 2.0), speed=1.4, first=100, separation={"distance": 1.0})
    walkers.steering.locomotion, walkers.steering.vehicle.cruise_speed = "ON_FOOT", 0.9
    board = empty("Board", (5.0, 14.0, 0.0))
    exits = bpy.data.collections.new("Exits")
    bpy.context.scene.collection.children.link(exits)
    for k, place in enumerate(((-14.0, 5.0, 0.0), (24.0, 5.0, 0.0))):
        exits.objects.link(empty(f"Exit {k}", place))
    frames(1, 780)
    hand = Hand()
    hand.click(people[0])
    hand.press("behavior_add", behavior="arrival")
    arrival, seek, comes = (getattr(walkers.steering, name) for name in ("arrival", "seek", "attendance"))
    for name, value in (("target", board), ("stay_time", 4.0), ("share_going", 0.3), ("face_target", True)):
        hand.set(arrival, name, value)
    hand.press("behavior_add", behavior="seek")
    hand.set(seek, "target_collection", exits)
    hand.set(seek, "target_choice", "RANDOM")
    hand.set(comes, "on_arrival", "LEAVE")
    hand.set(comes, "arrival_distance", 2.0)
    bake()
    tracks = np.array([places(people, frame) for frame in range(1, 781, 6)])
    speed = np.linalg.norm(np.diff(tracks, axis=0), axis=2) * 4.0
    near = np.linalg.norm(tracks - np.array(board.location), axis=2)[1:] < 2.5
    stood = ((speed < 0.1) & near).sum(axis=0) / 4.0
    reads = stood > 0.0
    assert hand.clicks <= 12 and 4 <= reads.sum() <= 11
    assert (stood[reads] > 1.0).all() and (stood[reads] < 7.5).all()
    ends = np.linalg.norm(tracks[-1][:, None] - np.array([ob.location for ob in exits.objects])[None], axis=2)
    assert (ends.min(axis=1) < 2.5).mean() > 0.8 and len(set(ends.argmin(axis=1))) == 2


@thorough
def test_a_predator_hunts_feeds_and_rests_in_fourteen_clicks() -> None:
    _, antelopes = grazing("Antelope", field(3, 3.0), speed=1.5, first=100, **GRAZES)
    _, (lion,) = grazing("Lion", [(3.0, -9.0)], speed=3.0, first=200, wander={"strength": 0.5, "vertical": 0.0})
    frames(1, 480)
    hand = Hand()
    hand.click(lion)
    hunt = hand.press("state_add", preset="hunt")
    (trigger,) = part("blender.crowds.states").triggers_of_state(hunt, bpy.context)
    hand.click(trigger)
    hand.set(trigger.steering.trigger, "distance", 30.0)
    hand.click(antelopes[0])
    hand.press("state_add", preset="caught")
    bake()
    told = [name for _, name in histories([lion])[0]]
    cycle = [name for name in told if name in ("Hunt", "Feed", "Rest")]
    assert hand.clicks <= 14 and cycle[:4] == ["Hunt", "Feed", "Rest", "Hunt"]
    assert taken_up(antelopes, "Caught")


def test_a_cue_and_a_hero_by_hand_in_six_clicks() -> None:
    birds, members = grazing("Birds", field(5, 2.0), speed=2.0, first=100, **GRAZES)
    select(birds)
    bpy.ops.steering.state_add(preset="startle")
    state = bpy.context.object
    state.steering.state.blend = 0.0
    frames(1, 120)
    bpy.context.scene.frame_set(30)
    hand = Hand()
    hand.click(state)
    hand.press("cue_add")
    (strip,) = state.animation_data.nla_tracks[0].strips
    hand.set(strip, "frame_end", 80)
    bake()
    begins = taken_up(members, "Startle")
    assert len(begins) == len(members) and min(begins) >= 30 and len(set(begins)) > 3
    bpy.context.scene.frame_set(90)
    hand.click(members[12])
    guide = hand.press("animate_by_hand")
    curve = next(
        c for c in part("blender.animation.animation_data").channelbag(guide).fcurves if c.data_path == "location"
    )
    key = min(curve.keyframe_points, key=lambda point: abs(point.co.x - 105))
    moved = int(key.co.x)
    before = places([members[12]], moved)
    hand.set(key, "co", (key.co.x, key.co.y + 1.0))
    bake()
    assert hand.clicks <= 6 and places([members[12]], moved)[0, 0] == pytest.approx(before[0, 0] + 1.0, abs=1e-3)
