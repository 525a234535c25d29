"""The speeds for which the clips of a crowd are made, and those at which the crowd and its states move."""

from collections.abc import Collection, Iterable, Iterator

from bpy.types import Object, Scene

from ...settings.preset_values import HASTENED, hastened, quickened
from ...settings.vehicles_in_states import RUNS, TOO_FAST
from ..moving import locomotion_of
from ..objects.tagged_objects import vehicles_of
from ..properties import settings_of
from ..units import speed_text
from .crowd_clips import state_of, stored_clips
from .finding_clips import AHEAD, FASTER, WALKS
from .finding_clips import RUNS as NAMED_RUNS

ROUNDING = 1e-5
"""The largest difference of the same share, stored with 32 bits."""
LIMIT = "Lower its Max Speed, or use Add Clip with a faster one"
"""The remedy for a state that moves too fast where no run tells how fast it may."""
ALIKE = 1.15
"""A state within this factor of the run's speed fits it."""


def gaits_of(crowd: Object, state: Object | None = None) -> list[tuple[float, str]]:
    """The speeds for which the clips of a crowd that move ahead are made, in m/s, and their names, slowest first. Those
    that are played in one of its states, or by default in none."""
    moving = [clip for clip in stored_clips(crowd) if clip.plays == "MOVE" and abs(clip.heading) < AHEAD]
    played = [clip for clip in moving if state_of(clip) == state] or [clip for clip in moving if state_of(clip) is None]
    speeds = ((clip.ground_speed or clip.speed, clip.action.name) for clip in played)
    return sorted(gait for gait in speeds if gait[0] > 0.0)


def named_gaits(crowd: Object) -> tuple[tuple[float, str] | None, tuple[float, str] | None]:
    """The speed in m/s and the name of the clip of a crowd that is named a walk, and of the fastest one named a run."""
    gaits = gaits_of(crowd)
    walks, runs = ([gait for gait in gaits if kind.search(gait[1])] for kind in (WALKS, NAMED_RUNS))
    return (walks[0] if walks else None), (runs[-1] if runs else None)


def run_of(crowd: Object) -> float:
    """The speed of the run of a crowd in m/s, that of its fastest clip beside a walk; 0 without one."""
    gaits = gaits_of(crowd)
    return gaits[-1][0] if gaits and gaits[-1][0] > FASTER * gaits[0][0] else 0.0


def let_run(crowd: Object, scene: Scene, animated: Collection[str]) -> list[str]:
    """Raise the top speed of a crowd to the speed of its run, and let it cruise as before. Returns a clause that says
    so, unless it is as fast already. `animated`: the data paths that keys or drivers change, whose values stay."""
    run, cruise, vehicle = run_of(crowd), cruise_of(crowd), crowd.steering.vehicle
    keyed = any(f"steering.vehicle.{name}" in animated for name in ("max_speed", "cruise_speed"))
    if keyed or run <= vehicle.max_speed:
        return []
    before = vehicle.cruise_speed
    vehicle.max_speed, vehicle.cruise_speed = run, cruise / run
    start_at_cruise(vehicles_of(crowd, scene), before, vehicle.cruise_speed)
    return [f"its Max Speed is {speed_text(run)}, as {gaits_of(crowd)[-1][1]}"]


def too_fast(crowd: Object, states: Iterable[Object]) -> Iterator[tuple[Object, str]]:
    """The crowd, and those of its states, that move faster than clips are made for, each with a sentence on it."""
    for ob in (crowd, *states):
        gaits, speed = gaits_of(crowd, None if ob == crowd else ob), cruise_of(ob)
        if gaits and speed > TOO_FAST * gaits[-1][0]:
            made_for, clip = gaits[-1]
            text = f"{ob.name} moves at {speed_text(speed, 2)}, {speed / made_for:.1f} times as fast as {clip}"
            fits = ob == crowd or (run_of(crowd) > 0.0 and gaits == gaits_of(crowd))
            remedy = "Fit Speed in the panel Clips changes that" if fits else LIMIT
            yield ob, f"{text}, its fastest clip. {remedy}"


def fit_states(crowd: Object, states: Iterable[Object]) -> list[str]:
    """Give the running states of a crowd the speed of its run; returns the names of those that were changed."""
    run, moves = run_of(crowd), locomotion_of(crowd)
    fitted = []
    for state in states:
        speed = cruise_of(state)
        if run == 0.0 or speed < RUNS * run or run / ALIKE < speed < run * ALIKE:
            continue
        vehicle, turns = state.steering.vehicle, getattr(state.steering, moves.name)
        values, of_crowd = ({name: getattr(ob.steering.vehicle, name) for name in HASTENED} for ob in (state, crowd))
        for name, value in hastened(values, run / speed, of_crowd).items():
            setattr(vehicle, name, value)
        if turns.own:
            groups = turns, getattr(crowd.steering, moves.name)
            values, of_crowd = ({name: getattr(group, name) for name in moves.parameters()} for group in groups)
            for name, value in quickened(moves, values, run / speed, of_crowd).items():
                setattr(turns, name, value)
        fitted.append(state.name)
    return fitted


def cruise_of(ob: Object) -> float:
    """The speed at which a crowd or a state moves, m/s; 0 for a state that has none of its own."""
    stored = settings_of(ob)
    if stored is None or not stored.is_property_set("vehicle"):
        return 0.0
    vehicle = stored.vehicle
    if "STATE" in stored.roles and not vehicle.own:
        return 0.0
    return float(vehicle.max_speed * vehicle.cruise_speed)


def start_at_cruise(members: Iterable[Object], before: float, after: float) -> None:
    """Let vehicles start no faster than at cruise speed, after it has changed as a share of the top speed. Vehicles
    that have been given a start speed keep it."""
    for ob in members:
        settings = ob.steering
        usual = settings.bl_rna.properties["start_speed"].default
        varied = settings.variation.start_speed if settings.is_property_set("variation") else 0.0
        factor = varied or 1.0
        if not settings.locked and abs(settings.start_speed - min(usual, before) * factor) < ROUNDING:
            start_speed = min(usual, after) * factor
            if abs(start_speed - settings.start_speed) >= ROUNDING and ob.is_editable:
                settings.start_speed = start_speed
