"""Feet that are held do not know where the scene is, how it is turned, which hand is left, or how long a metre is."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from steering_addon.portrayal.feet.knees import ease
from steering_addon.portrayal.feet.planes import Ground
from steering_addon.portrayal.feet.rotations import rotation_about_up
from steering_addon.portrayal.feet.solving import bend_knee, carry, hold
from steering_addon.portrayal.feet.treads import Carried, LegReach, Stepping
from tests.portrayal.feet.walks import BODIES, FEET, FRAME_TIME, GROUNDS, UP, fly, on, walk
from tests.portrayal.stepping import HEIGHT

KNEE = np.array((0.02, -0.1, 0.5))
"""Where knees are, from the middles of the soles."""


def skew_stairs(at: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Steps of 10 cm, 35 cm long, askew to the way."""
    return -0.1 * np.floor((0.9 * at[:, 1] - 0.4 * at[:, 0]) / 0.35), np.tile(UP, (len(at), 1))


ALL_GROUNDS: dict[str, Ground | None] = {"none": None, **GROUNDS, "skew stairs": skew_stairs}


@dataclass(frozen=True)
class Change:
    """A change of the world. Places in it are turned, or mirrored, by a matrix, taken `longer` times as far, and moved;
    what is in the space of models is changed by `inside`, and as many times as long as models are. `origin`: metres by
    which that of models is higher in them."""

    axes: np.ndarray
    inside: np.ndarray
    longer: float = 1.0
    models: float = 1.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)
    origin: float = 0.0

    def places(self, places: np.ndarray) -> np.ndarray:
        return self.longer * places @ self.axes.T + self.moved

    def in_model(self, v: np.ndarray) -> np.ndarray:
        return self.models * v @ self.inside.T

    def places_in_model(self, places: np.ndarray) -> np.ndarray:
        return self.in_model(places) - self.origin * UP

    def turns(self, turn: np.ndarray) -> np.ndarray:
        return self.inside @ turn @ self.inside.T

    def ground(self, ground: Ground | None) -> Ground | None:
        if ground is None:
            return None

        def changed(at: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            height, normal = ground((at - self.moved) @ self.axes / self.longer, frames)
            return self.longer * height + self.moved[2], normal @ self.axes.T

        return changed

    def body(self, body: Carried) -> Carried:
        """Bodies there. They have left and right as their models do, so mirrored ones are given mirrored feet."""
        return replace(
            body,
            position=self.places(body.position) + self.origin * self.longer * UP,
            forward=body.forward @ self.axes.T,
            up=body.up @ self.axes.T,
            size=body.size * self.longer / self.models,
            origin=(body.origin + self.origin) * self.longer,
        )

    def foot(self, foot: Stepping) -> Stepping:
        reach = LegReach(
            self.places_in_model(foot.reach.hip),
            self.places_in_model(foot.reach.ankle),
            self.models * foot.reach.length,
            folded=self.models * foot.reach.folded,
        )
        return Stepping(self.places_in_model(foot.points), self.models * foot.rests - self.origin, reach=reach)


MIRROR = np.diag((-1.0, 1.0, 1.0))
TURN = rotation_about_up(np.array(0.7))
CHANGES = {
    "mirrored": Change(MIRROR, MIRROR),
    "turned and elsewhere": Change(TURN, np.eye(3), moved=(30.0, -20.0, 7.0)),
    "larger bodies": Change(np.eye(3), np.eye(3), longer=2.0),
    "longer metres": Change(np.eye(3), np.eye(3), longer=2.0, models=2.0),
    "a higher origin": Change(np.eye(3), np.eye(3), origin=0.9),
}


def bodies_on(ground: Ground | None) -> tuple[Carried, list[Stepping]]:
    """Bodies that go, turn and stand on a ground, and their feet on legs that are nearly stretched."""
    made = [make() for make in (*BODIES.values(), fly, lambda: walk(2.5, radius=3.0))]
    bodies = [on(body, ground) if ground else body for body, _ in made]
    body = Carried(*(np.stack([getattr(each, f.name) for each in bodies]) for f in fields(Carried)[:5]))
    feet = []
    for foot in range(len(FEET)):
        points = np.stack([of_body[foot].points for _, of_body in made])
        # Soles are not flat, and roll: their heels come up as they swing.
        points = points + (0.004 + 0.6 * points[..., 2:]) * np.linspace(0.0, 1.0, points.shape[2])[:, None] * UP
        ankle = points.mean(axis=2) + 0.1 * UP
        hip = np.broadcast_to((-0.08 if foot == 0 else 0.08, 0.02, 0.93), ankle.shape)
        feet.append(Stepping(points, np.zeros(points.shape[:2]), reach=LegReach(hip, ankle, 0.9, folded=0.06)))
    return body, feet


Looks = list[tuple[str, np.ndarray]]


def looks(body: Carried, feet: list[Stepping], height: float, ground: Ground | None, knee: np.ndarray) -> Looks:
    """How bodies' feet, hips, knees and controls are seen: the kind of each column, and that."""
    held = hold(body, feet, height, FRAME_TIME, ground, lowers_hips=True)
    seen: Looks = [("length", held.drop)]
    for foot, correction in zip(feet, held.corrections):
        eased = ease(foot, correction, held.drop, height, FRAME_TIME)
        for each in (correction, eased):
            seen += [("vector", each.shift), ("turn", each.turn), ("length", np.asarray(each.room))]
        reach = foot.reach
        target = reach.target(eased) + held.drop[..., None] * UP
        joints = bend_knee(reach.hip, reach.hip + knee, reach.ankle, target)
        seen += [("place", joint) for joint in joints]
        seen.append(("vector", carry(reach.ankle + knee, reach, eased, held.drop)))
    return seen


@pytest.fixture(scope="module", params=ALL_GROUNDS)
def scene(request: pytest.FixtureRequest) -> tuple[Ground | None, Carried, list[Stepping], Looks]:
    ground = ALL_GROUNDS[request.param]
    body, feet = bodies_on(ground)
    return ground, body, feet, looks(body, feet, HEIGHT, ground, KNEE)


@pytest.mark.parametrize("name", CHANGES)
def test_feet_are_held_alike_in_a_scene_that_is(scene: tuple, name: str) -> None:
    ground, body, feet, expected = scene
    change = CHANGES[name]
    there = looks(
        change.body(body),
        [change.foot(foot) for foot in feet],
        change.models * HEIGHT,
        change.ground(ground),
        change.in_model(KNEE),
    )
    as_seen: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "place": change.places_in_model,
        "vector": change.in_model,
        "turn": change.turns,
        "length": lambda lengths: change.models * lengths,
    }
    for (kind, before), (_, after) in zip(expected, there):
        np.testing.assert_allclose(after, as_seen[kind](before), atol=1e-7)
