"""Company: standing near another who stands, and facing it."""

import numpy as np
import pytest

from steering_addon.portrayal.sketch import in_company

FACING = ([(0.0, 0.0), (0.0, 0.8)], [(0.0, 1.0), (0.0, -1.0)])


def accompanied(places: list, fronts: list, speeds: list | None = None) -> list[bool]:
    """Whether people of .27 m radius with fronts (x, y), who go along these at some speeds, are in company."""
    position, forward = (np.array([(*each, 0.0) for each in points]) for points in (places, fronts))
    forward /= np.linalg.norm(forward, axis=1)[:, None]
    speed = np.zeros(len(places)) if speeds is None else np.array(speeds)
    return in_company(position, forward, forward * speed[:, None], np.full(len(places), 0.27)).tolist()


def test_two_who_stand_face_to_face_are_in_company() -> None:
    assert accompanied(*FACING) == [True, True]


@pytest.mark.parametrize(
    ("places", "fronts", "speeds", "expected"),
    [
        ([(0.0, 0.0), (0.0, 2.5)], FACING[1], None, [False, False]),
        (*FACING, [0.0, 1.0], [False, False]),
        (FACING[0], [(0.0, 1.0), (0.0, 1.0)], None, [False, False]),
        (FACING[0], [(0.0, 1.0), (1.0, 0.0)], None, [True, False]),
        ([(0.0, 0.0), (0.0, 0.0)], FACING[1], None, [False, False]),
        ([(0.0, 0.0)], [(0.0, 1.0)], None, [False]),
        ([], [], None, []),
    ],
    ids=["too far", "one goes by", "behind a back", "one looks aside", "one place", "alone", "empty"],
)
def test_who_is_not(places: list, fronts: list, speeds: list | None, expected: list[bool]) -> None:
    if not places:
        assert in_company(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)).tolist() == expected
    else:
        assert accompanied(places, fronts, speeds) == expected
