"""A ready herd in the ready state Startle."""

from dataclasses import replace

import numpy as np

from scripts.measures.escape import spread
from scripts.preset_states import ready_state
from steering_addon.minds.conditions import Nearby
from steering_addon.scene import trigger, with_states
from tests.presets.preset_crowds import crowd, shipped
from tests.scene import leaders, positions

STARTLE = 2


def test_a_herd_that_runs_stays_close_together() -> None:
    herd = replace(crowd(shipped("herd"), 16, 1, 60.0), tracked=leaders([-14.0, -4.0, 0.0]))
    states = [ready_state(name, herd, 9.0) for name in ("startle", "regroup")]
    near = trigger(STARTLE, Nearby, bodies=np.array([len(herd)]), distance=60.0)
    place = positions(herd.run(84, at=lambda _, snapshot: with_states(snapshot, states, [near])))
    assert np.linalg.norm(place[-1].mean(axis=0) - place[0].mean(axis=0)) > 15.0
    assert spread(place[-1]) < 1.4 * spread(place[12])
