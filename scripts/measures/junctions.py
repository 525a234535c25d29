"""Cars where roads cross, merge and go round: whether any touch, how long any stands, and how fast the roads flow.

A case is a layout and how many cars it has, dealt out among its arms one behind the other. Roads cross at right angles,
skew ones at 30 degrees; two are two crossings 30 m apart, lanes three lanes one way across three. On ways round a ring
many share a lane for a while; of the lorries every third car is ten metres long; a bridge leads six metres above; on a
slope one road climbs by 10 degrees. Touching counts pairs of cars, stand is the longest that any stands, s, and speed
the mean of the last ten seconds, m/s.
"""

from pathlib import Path

import numpy as np

from scripts.preset_crowds import FPS, as_scene, shipped
from steering_addon.behaviors.path_following import EITHER, LOOP
from steering_addon.portrayal.feet.soles import runs
from steering_addon.scene import Scene, headings, positions, speeds, spline, surfaces
from steering_addon.simulation.geometry.capsules import between_axes, half_axis
from steering_addon.simulation.geometry.paths import Spline

IN_BLENDER = False
CASES = ("cross 20", "cross 40", "ring 20", "skew 20", "two 24", "lanes 30", "bridge 20", "slope 20", "lorries 20")
BANDS = {"touching": (0, 0), "stand, s": (0.0, 8.0), "speed, m/s": (3.0, 17.0)}
FRAMES, LAST, STANDS = 600, 240, 0.3
"""Frames of a run, those at its end of which the speed is told, and the speed in m/s below which a car stands."""
WIDE, LONG, LORRY = 1.8, 4.3, 10.0
"""The width and the length of cars, and the length of lorries, metres."""
REACH, RING, LANE = 220.0, 14.0, 1.75
"""Metres from the middle to the ends of roads, the radius of a roundabout, and from the middle of a road to a lane."""
UP = np.array([0.0, 0.0, 1.0])
STEEP = np.tan(np.radians(10.0))


def road(degrees: float, *middle: float) -> Spline:
    """A straight road through a place."""
    way = REACH * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
    place = np.resize(np.append(middle, np.zeros(3)), 3)
    return spline(np.array([place - way, place + way]), False)


def round_the_ring(arm: int) -> Spline:
    """The way from one of four arms half round a roundabout to the arm opposite, with corners cut (Chaikin)."""
    comes = 0.5 * np.pi * arm
    ring = RING * np.exp(1j * np.linspace(0.35, np.pi - 0.35, 24))
    arms = np.array([REACH, 60.0, 30.0, 21.0])
    way = np.concatenate((arms + 2.2j, ring, 2.2j - arms[::-1])) * np.exp(1j * comes)
    for _ in range(3):
        cut = np.stack((0.75 * way[:-1] + 0.25 * way[1:], 0.25 * way[:-1] + 0.75 * way[1:]), axis=1).ravel()
        way = np.concatenate((way[:1], cut, way[-1:]))
    return spline(np.stack((way.real, way.imag, np.zeros(len(way))), axis=1), False)


CROSS = road(0.0), road(90.0)
LAYOUTS = {
    "cross": (CROSS, LANE),
    "ring": ([round_the_ring(arm) for arm in range(4)], 0.0),
    "skew": ((road(0.0), road(30.0)), LANE),
    "two": ((road(0.0), road(90.0, -15.0), road(90.0, 15.0)), LANE),
    "lanes": ([*(road(0.0, 0.0, y) for y in (-8, -4.6, -1.2)), *(road(-90.0, x) for x in (-8, -4.6, -1.2))], 0.0),
    "bridge": ((road(0.0), road(90.0, 0.0, 0.0, 6.0)), LANE),
    "slope": ([spline(line.points + STEEP * line.points[:, :1] * UP, False) for line in CROSS], LANE),
    "lorries": (CROSS, LANE),
}


def traffic(layout: str, count: int) -> Scene:
    """Cars of the preset on the roads of a layout."""
    (paths, lane), chance, preset = LAYOUTS[layout], np.random.default_rng(count // 20), shipped("car")
    arms = [(row, way) for row in range(len(paths)) for way in ((1, -1) if lane else (1,))]
    place, heading, row = [], [], []
    for number in range(count):
        path, way = arms[number % len(arms)]
        line = paths[path].beside(-lane * way)
        driven = line.length / 2.0 - 45.0 - 15.0 * (number // len(arms)) - chance.uniform(0.0, 8.0)
        along = np.array([driven if way > 0 else line.length - driven])
        place.append(line.position(along)[0])
        heading.append(line.tangent(along)[0] * way)
        row.append(path)
    length = np.where((layout == "lorries") & (np.arange(count) % 3 == 1), LORRY, LONG)
    following = {"path": np.array(row), "lane_offset": lane, "direction": EITHER, "end": LOOP}
    settings = as_scene(preset, path_following=following)
    settings["vehicle"] |= {"radius": WIDE / 2.0, "length": length}
    corners = 2.0 * REACH * np.array([(x, y, STEEP * x * (layout == "slope")) for x in (-1, 1) for y in (-1, 1)])
    heights = (0.0, 6.0) if layout == "bridge" else (0.0,)
    ground = surfaces([(corners + height * UP, np.array([(0, 2, 3), (0, 3, 1)])) for height in heights])
    return Scene(
        place,
        forward=np.array(heading),
        speed=10.0,
        **settings,
        paths=tuple((path,) for path in paths),
        surfaces=ground,
        fps=FPS,
        seed=count // 20,
    )


def figures(case: str, folder: Path) -> dict[str, float]:
    layout, count = case.split()
    scene = traffic(layout, int(count))
    states = scene.run(FRAMES)
    place, heading, speed = positions(states), headings(states), speeds(states)
    away = np.array([state.away for state in states])
    np.savez(folder / f"junctions {case}.npz", place=place, heading=heading, away=away)
    first, second = np.triu_indices(len(scene), 1)
    half = half_axis(np.full(len(scene), WIDE / 2.0), scene.vehicle["length"])
    touching = np.zeros(len(first), dtype=bool)
    for here, faces, absent in zip(place, heading, away):
        gap = between_axes(here[second] - here[first], faces[first], half[first], faces[second], half[second])
        touching |= (np.linalg.norm(gap, axis=1) < WIDE) & ~absent[first] & ~absent[second]
    stands = [last - first for column in ((speed < STANDS) & ~away).T for first, last in runs(column)]
    return {
        "touching": int(touching.sum()),
        "stand, s": max(stands, default=0) / FPS,
        "speed, m/s": float(speed[-LAST:][~away[-LAST:]].mean()),
    }
