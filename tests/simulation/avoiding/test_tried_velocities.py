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


def test_in_space_a_choice_is_varied_evenly_in_all_directions() -> None:
    vectors = np.stack(VARIATIONS[3], axis=1)
    assert np.allclose(np.einsum("ka,kb->ab", vectors, vectors), np.eye(3) * len(vectors) / 3.0)
