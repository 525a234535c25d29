"""The record of a run tells of each vehicle, by its identity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.recording.run_record import RunRecord, frames_present

FRAMES = np.arange(10.0, 15.0)


@pytest.mark.parametrize(
    ("away", "expected"),
    [
        ((0, 0, 0, 0, 0), (-np.inf, np.inf)),
        ((1, 1, 0, 0, 0), (12.0, np.inf)),
        ((1, 0, 0, 0, 0), (11.0, np.inf)),
        ((0, 0, 1, 1, 1), (-np.inf, 11.0)),
        ((1, 0, 0, 0, 1), (11.0, 13.0)),
        ((1, 1, 1, 1, 1), (15.0, 14.0)),
    ],
)
def test_a_vehicle_is_present_before_the_first_frame_and_after_the_last_where_it_is_present_there(
    away, expected
) -> None:
    assert tuple(frames_present(np.array([away], dtype=np.bool_).T, FRAMES)[0]) == expected


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=6))
def test_the_presence_of_several_vehicles_is_that_of_each(away) -> None:
    mask = np.array(away, dtype=np.bool_).T
    alone = [frames_present(mask[:, [row]], FRAMES)[0] for row in range(mask.shape[1])]
    assert np.array_equal(frames_present(mask, FRAMES), alone)


@given(st.sets(st.integers(1, 50), max_size=8), st.integers(0, 51))
def test_a_vehicle_is_found_by_its_identity_and_no_other_is(identities, wanted) -> None:
    identity = np.array(sorted(identities), dtype=np.int64)
    n = len(identity)
    record = RunRecord(identity, {}, np.full((n, 2), np.nan), np.full((n, 2), np.inf), ("",) * n, ("",) * n)
    row = record.row_of(wanted)
    assert (row is not None) == (wanted in identities)
    assert row is None or identity[row] == wanted
