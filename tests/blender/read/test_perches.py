"""Places on which flyers land: faces that face up, wires, edges, Empties, and things that move."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.building import at_frames, empty, frames, meshed, part, path_curve
from tests.blender.seen import places
from tests.blender.steered import bake, crowd, obstacle, press, use, vehicle
from tests.sampling import sampled

LAST = 55


def flock(target, n: int = 3, **settings):
    """Birds at cruise speed ahead of what they are to land on."""
    birds = crowd("Birds", landing={"target": target, "apart": 0.6, "slowing_distance": 6.0, **settings})
    birds.steering.locomotion = "FLYING"
    birds.steering.flying.least_speed = 0.3
    vehicles = birds.steering.vehicle
    vehicles.max_speed, vehicles.max_force, vehicles.radius = 10.0, 14.0, 0.2
    return [
        vehicle(name=f"Bird {k}", location=(2.0 * k - 2.0, -11.0, 5.0), crowd=birds, identity=77 + k) for k in range(n)
    ]


def house(name: str = "House", edges=()):
    """A floor at 0 with a flat roof of 4 x 4 m at 3 m over all of it, and steep sides."""
    corners = [(x, y, z) for z in (0.0, 3.0) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))]
    sides = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    return meshed(name, corners, [(0, 1, 2, 3), (4, 5, 6, 7), *sides], edges=edges)


def wire(bevel: float):
    curve = path_curve("Wire", ((-6, 4, 4), (0, 4, 3.8), (6, 4, 4)))
    curve.data.bevel_depth = bevel
    return curve


def flat_wire():
    curve = wire(0.0)
    curve.location.z, curve.scale.z = 4.0, 0.0
    return curve


def edges():
    return meshed("Edge", [(-5, 3, 3), (5, 3, 3), (5, 3, 0)], [], edges=[(0, 1), (1, 2)])


def off_the_roof(place: np.ndarray) -> float:
    """Their bodies are over it, too: their radius is .2 m."""
    return np.abs(place[:, 2] - 3.0).max() + np.abs(place[:, :2]).max(initial=1.8) - 1.8


THINGS = {
    "roof": (house, off_the_roof),
    "roof with a loose edge": (lambda: house(edges=[(4, 6)]), off_the_roof),
    "bare wire": (lambda: wire(0.0), lambda place: np.abs(place[:, 2] - 3.8 - np.abs(place[:, 0]) / 30.0).max()),
    "wire": (lambda: wire(0.02), lambda place: np.abs(place[:, 2] - 3.82 - np.abs(place[:, 0]) / 30.0).max() - 1e-3),
    "flat wire": (flat_wire, lambda place: np.abs(place[:, 2] - 4.0).max()),
    "edge": (edges, lambda place: np.abs(place[:, 1:] - 3.0).max()),
}


@sampled(one_of=5)
@pytest.mark.parametrize("thing", THINGS)
def test_birds_stand_on_it_with_their_feet(thing: str) -> None:
    """Exactly, each apart from the others; across a wire."""
    frames(1, LAST, fps=12)
    make, off = THINGS[thing]
    birds = flock(make())
    bake()
    place = np.stack([places(bird, [LAST])[0] for bird in birds])
    assert np.abs(place - np.stack([places(bird, [LAST - 5])[0] for bird in birds])).max() < 1e-6
    lift = part("blender.read.plan").plan_reading(bpy.context.scene).vehicles.source.lift(np.zeros(3))
    place[:, 2] -= lift
    assert off(place) < 2e-3
    gap = np.linalg.norm(place[:, None] - place[None], axis=-1) + np.eye(3)
    assert gap.min() >= 0.6 - 1e-6
    if "wire" in thing or thing == "edge":
        bpy.context.scene.frame_set(LAST)
        assert all(abs(bird.matrix_world.to_3x3().col[1].normalized().y) > 0.99 for bird in birds)


def test_one_lands_on_an_empty_and_the_others_fly_on() -> None:
    frames(1, LAST, fps=12)
    birds = flock(empty("Perch", (1.0, 2.0, 3.0)))
    bake()
    still = [np.ptp([places(bird, [frame])[0] for frame in (LAST - 10, LAST)], axis=0).max() < 1e-6 for bird in birds]
    assert sum(still) == 1


def test_three_clicks_land_a_flock_on_a_roof_wherever_its_origin_is() -> None:
    """The crowd, the roof, Add State > Land: a trigger calls from where the roof is, and what called is the target."""
    last = LAST + 15
    frames(1, last, fps=12)
    roof = house()
    roof.data.transform(Matrix.Translation((0.0, 30.0, 0.0)))
    roof.location.y = -30.0
    obstacle(roof)
    birds = flock(None)
    for bird in birds:
        bird.location.y, bird.location.z = -16.0, 6.0
    herd = birds[0].steering.crowd
    herd.steering.landing.use = False
    use(herd, obstacle_avoidance={}, separation={})
    press("state_add", herd, roof, preset="land")
    bake()
    assert all(abs(places(bird, [last])[0][2] - 3.0) < 0.3 for bird in birds)
    assert all(np.ptp([places(bird, [frame])[0] for frame in (last - 5, last)], axis=0).max() < 1e-6 for bird in birds)


def test_wings_are_folded_and_still_where_birds_stand() -> None:
    frames(1, LAST, fps=12)
    birds = flock(house())
    portrayal = birds[0].steering.crowd.steering.portrayal
    portrayal.use, portrayal.phase_by = True, "TIME"
    bake()
    told = []
    for _ in at_frames((1, LAST - 5, LAST)):
        told.append([[bird[f"steering_{name}"] for bird in birds] for name in ("folded", "effort", "phase")])
    flying, before, last = np.array(told)
    assert (flying[0] == 0.0).all() and (flying[1] > 0.5).all()
    assert (last[0] == 1.0).all() and (last[1] < 1e-3).all() and (last[2] == before[2]).all()


def test_wings_are_folded_where_a_state_lands_whatever_collection_it_is_in() -> None:
    frames(1, 2)
    bird, roof = flock(None, n=1)[0], obstacle(house())
    herd = bird.steering.crowd
    herd.steering.landing.use = False
    herd.steering.portrayal.use, herd.steering.portrayal.phase_by = True, "TIME"
    press("state_add", herd, roof, preset="land")
    states = herd.steering.states
    for ob in states.objects[:]:
        bpy.context.scene.collection.objects.link(ob)
        states.objects.unlink(ob)
    bake()
    assert "steering_folded" in bird
