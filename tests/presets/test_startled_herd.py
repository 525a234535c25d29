"""A ready herd in the ready state Startle."""

from dataclasses import replace

import numpy as np

from scripts.measures.escape import spread
from scripts.preset_crowds import crowd, shipped
from scripts.preset_states import ready_state
from steering_addon.minds.conditions import Nearby
from steering_addon.scene import leaders, positions, trigger, with_states
from steering_addon.simulation.geometry.surfaces import surfaces
from tests.locomotion.grounds import on, plane

STARTLE = 2


def test_a_herd_that_flees_uphill_runs_and_stays_close_together() -> None:
    herd = crowd(shipped("herd"), 16, 1, 60.0)
    hill = surfaces([plane(half=60.0, tilt=0.3)])
    herd = replace(herd, position=on(hill, herd.position[:, :2]), surfaces=hill, tracked=leaders([-10.0, -2.0, -3.0]))
    states = [ready_state(name, herd, 9.0) for name in ("startle", "regroup")]
    near = trigger(STARTLE, Nearby, bodies=np.array([len(herd)]), distance=60.0)
    place = positions(herd.run(84, at=lambda _, snapshot: with_states(snapshot, states, [near])))
    assert np.linalg.norm(place[-1].mean(axis=0) - place[0].mean(axis=0)) > 12.0
    assert spread(place[-1]) < 1.65 * spread(place[12])
