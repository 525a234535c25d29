"""The directions that agents try when they choose a velocity."""

import numpy as np
import pytest

from steering_addon.simulation.avoiding.tried_velocities import DIRECTIONS, VARIATIONS


@pytest.mark.parametrize("directions", [*DIRECTIONS.values(), *VARIATIONS.values()], ids=["2", "3", "ring", "ball"])
def test_directions_are_distinct_unit_vectors_and_mirrored_to_the_other_side(directions: tuple) -> None:
    vectors = np.stack(directions, axis=1)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    gaps = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1) + np.eye(len(vectors))
    assert gaps.min() > 0.1
    mirrored = vectors * ([1.0, -1.0, 1.0][: vectors.shape[1]])
    assert (np.linalg.norm(mirrored[:, None] - vectors[None], axis=-1).min(axis=1) < 1e-9).all()


@pytest.mark.parametrize(("dimensions", "most"), [(2, 9.0), (3, 18.0)], ids=["on the ground", "in space"])
def test_near_the_wish_no_direction_is_far_from_one_that_is_tried(dimensions: int, most: float) -> None:
    """Up to 30 degrees from the wish; the gaps grow with the distance from it."""
    v = np.random.default_rng(0).normal(size=(20000, dimensions))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    v = v[v[:, 0] > np.cos(np.radians(30.0))]
    nearest = (v @ np.stack(DIRECTIONS[dimensions])).max(axis=1)
    assert np.degrees(np.arccos(nearest.min())) < most


def test_in_space_a_choice_is_varied_evenly_in_all_directions() -> None:
    vectors = np.stack(VARIATIONS[3], axis=1)
    assert np.allclose(np.einsum("ka,kb->ab", vectors, vectors), np.eye(3) * len(vectors) / 3.0)
