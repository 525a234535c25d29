"""What clips that are played together show."""

import numpy as np

from steering_addon.portrayal.clips import PHASES, Playing, mixed_tables


def test_tables_of_clips_are_mixed_by_phase_and_by_what_is_seen_of_each() -> None:
    phase = np.arange(PHASES + 2.0) / PHASES
    tables = [np.zeros((PHASES + 2, 2)), np.stack((phase, 2.0 * phase), axis=1)]
    played = np.array((0.25, 3.503, 0.99))
    influence = np.array(((1.0, 1.0, 1.0), (0.0, 1.0, 0.5)))
    mixed = mixed_tables(tables, Playing(np.stack((0.0 * played, played)), influence))
    np.testing.assert_allclose(mixed[:, 0], (0.0, 0.503, 0.495), atol=1e-12)
    np.testing.assert_allclose(mixed[:, 1], 2.0 * mixed[:, 0])
