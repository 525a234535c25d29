"""The six scenes of the paper's top layer, by what the panels offer alone, in few clicks each.

A click on an object counts as one, and so do a button, an entry of a menu and a field that is set. Each scene begins
with tagged crowds of plain objects that graze or walk.
"""

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, crowd, empty, frames, part, press, select, vehicle, wedge


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


def test_a_cue_and_a_hero_by_hand_in_six_clicks() -> None:
    birds, members = grazing("Birds", field(5, 2.0), speed=2.0, first=100, **GRAZES)
    state = press("state_add", birds, preset="startle")
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
