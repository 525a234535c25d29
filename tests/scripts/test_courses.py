"""Courses, on which scripts/measure sends vehicles of all presets: who has passed one, and who has arrived."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.course_scenes import course, kept_apart, random_course
from scripts.preset_crowds import shipped
from steering_addon.simulation.snapshot import State


def test_without_avoiding_obstacles_they_follow_the_path_through_them() -> None:
    on = course("flock", "ALLOCATION", ["ball"], [1.0], 5)
    behaviors = [(kind, values) for kind, values in on.scene.behaviors if not kind.avoids]
    # Push Apart keeps them out of obstacles, too.
    vehicle = on.scene.vehicle | {"keep_apart": False}
    outcome = replace(on, scene=replace(on.scene, behaviors=behaviors, vehicle=vehicle)).run()
    assert outcome.depth.max() > 1.0
    assert not outcome.stuck() and not outcome.passed(), "who goes through an obstacle has not passed it"


def test_a_vehicle_passes_an_obstacle_that_it_grazes_by_a_twentieth_of_its_radius() -> None:
    outcome = replace(random_course(3), frames=2).run()
    grazing = replace(
        outcome, arrived=np.ones(4, dtype=np.int64), stood=np.zeros(4), depth=np.array([0.0, 0.0, 0.0, 0.05])
    )
    assert grazing.passed()
    assert not replace(grazing, depth=grazing.depth + 0.001).passed()


def test_a_random_course_is_the_same_each_time() -> None:
    def end(state: State) -> np.ndarray:
        return state.motion.position

    on = replace(random_course(3), frames=8)
    assert (end(on.run().states[-1]) == end(replace(random_course(3), frames=8).run().states[-1])).all()


def test_who_stands_in_the_throng_at_the_end_has_arrived() -> None:
    on = replace(course("fish", "NORMALIZED_SUM", [], [2.0] * 4, 1), frames=2)
    last = on.run().states[-1]
    end, apart = on.line.position(np.array([on.line.length]))[0], on.apart

    def arrived(gap: float, speed: float) -> list[bool]:
        """Of two that are at the end, and two that are before it, one behind the other."""
        behind = np.array([0.0, 0.0, 1.0, 2.0]) * gap
        place = end - behind[:, None] * (0.0, 1.0, 0.0)
        motion = replace(last.motion, position=place, velocity=np.full((4, 3), (0.0, speed, 0.0)))
        following = replace(last.memories["path_following"], along=on.line.length - behind)
        return on.reached(replace(last, motion=motion, memories={"path_following": following})).tolist()

    assert arrived(0.9 * apart, 0.0) == [True] * 4
    assert arrived(0.9 * apart, 0.3) == [True, True, False, False], "they are on their way"
    assert arrived(1.1 * apart, 0.0) == [True, True, False, False], "something else stops them"


def test_who_stands_beside_those_at_the_end_has_a_way_to_it() -> None:
    on = replace(course("fish", "NORMALIZED_SUM", [], [2.0] * 2, 1), frames=2)
    last = on.run().states[-1]
    end, behind = on.line.position(np.array([on.line.length]))[0], 0.5 * on.throng

    def arrived(place: tuple[float, float, float]) -> bool:
        """Whether one that stands half a throng before the end has, the other being at the end."""
        motion = replace(last.motion, position=end + np.array([(0.0, 0.0, 0.0), place]), velocity=np.zeros((2, 3)))
        following = replace(last.memories["path_following"], along=on.line.length - np.array([0.0, behind]))
        return bool(on.reached(replace(last, motion=motion, memories={"path_following": following}))[1])

    assert arrived((0.0, -0.9 * on.apart, 0.0))
    assert not arrived((0.0, -1.1 * on.apart, 0.0))
    assert not arrived((0.0, 0.0, -1.1 * on.apart))


def test_those_who_avoid_each_other_stand_as_near_as_they_would_walk_while_they_look_ahead() -> None:
    values = shipped("pedestrian")
    avoids, size = values.behaviors["unaligned_collision_avoidance"], values.body_length
    creeps = 0.05 * values.vehicle["max_speed"] * avoids["look_ahead_time"]
    assert kept_apart(values) == pytest.approx(size + avoids["clearance"] + creeps)
    assert kept_apart(shipped("fish")) == shipped("fish").body_length
