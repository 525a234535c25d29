"""The state that a vehicle is in on the current frame, and what it took up before, to the extent that it is known.

While a preview is on, it tells. Otherwise the bake that the vehicle plays does.
"""

from bpy.types import Depsgraph, Object, Scene

from ...portrayal.driver_properties import STATE
from ..animation.bake_record import BakeRecord
from ..animation.custom_properties import path_of
from ..animation.ownership import CurrentAnimation
from ..animation.run_records import outcome_of
from ..animation.state_history import TakenUp
from ..preview.published import published_frame


def tells_state(record: BakeRecord | None) -> bool:
    """Whether a bake tells in which state its vehicle is."""
    return record is not None and path_of(STATE) in record.channels


def present_state(scene: Scene, ob: Object, *, baked: bool, depsgraph: Depsgraph | None = None) -> int | None:
    """The number of the state that a vehicle is in, 0 for none; None if it is not known.

    Args:
        baked: whether its bake tells the state (`tells_state`).
        depsgraph: for whose frame a bake is asked; that of the scene if None.
    """
    if (previewed := published_frame(scene)) is not None and (number := previewed.state_number(ob)) is not None:
        return number
    if not baked:
        return None
    number = (ob if depsgraph is None else ob.evaluated_get(depsgraph)).get(STATE)
    if number is None:
        number = _keyed(ob, (scene if depsgraph is None else depsgraph.scene).frame_current_final)
    return number if isinstance(number, int) else None


def states_now(scene: Scene, ob: Object, baked: bool) -> list[int | None]:
    """The numbers of the states of a vehicle, or of those that are points of an object, as of `present_state`."""
    previewed = published_frame(scene)
    if previewed is not None and previewed.numbers is not None and len(rows := previewed.rows_of(ob)) > 1:
        return [int(number) for number in previewed.numbers[rows]]
    return [present_state(scene, ob, baked=baked)]


def _keyed(ob: Object, frame: float) -> int | None:
    """The number that the keys of a vehicle tell: of a library override Blender saves these, not the property."""
    curve = CurrentAnimation(ob).curves(path_of(STATE)).get(0)
    return None if curve is None else round(curve.evaluate(frame))


def history_of(scene: Scene, ob: Object) -> tuple[TakenUp, ...]:
    """The states that a vehicle takes up, with the reasons; those of a preview until the current frame."""
    if (previewed := published_frame(scene)) is not None and (history := previewed.history(ob)) is not None:
        return history
    return outcome_of(ob).states
