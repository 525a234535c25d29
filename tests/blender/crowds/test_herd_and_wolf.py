"""Add > Steering > Herd and Wolf: what its states promise. The rest is tried with the other ready scenes."""

import numpy as np

from tests.blender.building import bake, frames, part
from tests.blender.crowds.test_ready_scenes import add, members, played
from tests.sampling import thorough


@thorough
def test_sheep_run_from_the_wolf_one_by_one_and_gather_again() -> None:
    """All are alarmed within 72 frames, and within 20 seconds of the first the herd is as close as it was."""
    frames(1, 580)
    sheep = members(add("herd_and_wolf", count=24))
    bake()
    ended = part("blender.animation.state_history")
    histories = [part("blender.animation.run_records").outcome_of(ob).states for ob in sheep]
    startled = np.array([next(each.frame for each in h if each.state == "Startle") for h in histories])
    calmed = np.array([next(e.frame for e in h if e.cause == ended.ENDED and e.state == "Regroup") for h in histories])
    assert startled.min() > 24.0 and np.ptp(startled) <= 72.0
    assert np.ptp(calmed) > 72.0 and (calmed > startled + 24.0).all()
    assert {h[0].cause for h in histories} == {ended.TRIGGER, ended.OTHERS}
    first = int(startled.min())
    places = played(sheep, range(first - 12, first + 481, 12))[..., :3, 3]
    pace = np.linalg.norm(np.diff(places, axis=0), axis=-1) / 0.5
    assert pace[0].max() < 1.0 < pace.max(axis=0).min() and np.median(pace.max(axis=0)) > 2.5
    apart = np.median(np.linalg.norm(places - np.median(places, axis=1, keepdims=True), axis=-1), axis=1)
    # It closes, and then spreads a little as it grazes on.
    assert apart.max() > 1.2 * apart[0] and apart[apart.argmax() :].min() < 1.1 * apart[0]
