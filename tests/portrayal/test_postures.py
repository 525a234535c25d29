"""Postures differ from agent to agent, within a limit, and depend on nothing but the agent."""

import numpy as np

from steering_addon.portrayal.heads import ASIDE, VARIANTS, postures, variants_of
from steering_addon.simulation.arrays.chance import keys_of

MOST = 0.05


def test_postures_are_spread_over_what_is_allowed_and_no_further() -> None:
    back, head = postures(np.full(VARIANTS, MOST), np.arange(VARIANTS))
    limits = np.array([MOST, ASIDE * MOST, ASIDE * MOST])
    assert (np.abs(back) <= limits).all() and (np.abs(head) <= limits).all()
    assert (head[:, 2] == 0.0).all()
    for column in (*back.T, *head.T[:2]):
        shares = np.sort(column / np.abs(column).max())
        assert np.diff(shares).max() < 0.35, "no gap"
        assert abs(column.mean()) < 0.1 * MOST
    numbers = np.concatenate((back, head[:, :2]), axis=1) / MOST
    apart = np.linalg.norm(numbers[:, None] - numbers[None], axis=2)[np.triu_indices(VARIANTS, 1)]
    assert apart.min() > 0.3, "all differ"


def test_without_an_angle_all_stand_as_their_clips_have_them() -> None:
    assert not np.any(postures(np.zeros(VARIANTS), np.arange(VARIANTS)))


def test_a_crowd_has_most_postures_and_another_agent_changes_none() -> None:
    variants = variants_of(keys_of(3, np.arange(60)))
    assert len(set(variants.tolist())) > 0.7 * VARIANTS
    np.testing.assert_array_equal(variants[1:], variants_of(keys_of(3, np.arange(1, 60))))
