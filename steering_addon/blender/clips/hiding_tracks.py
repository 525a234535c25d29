"""NLA tracks of the animator that hide the strips of clips: those that pose the whole model on all frames.

Strips of clips lie below the tracks of the animator, so that what is added by hand plays on top. A clip that was pushed
down to a track, or all clips as some files have them, would play on top as well, and nothing of the bake would be seen.
"""

from collections.abc import Collection, Iterator

from bpy.types import Action, NlaTrack, Object

from ..animation.animation_data import Channelbag, bag_of, nla_tracks_of, posed_block
from ..animation.posing import HIDES, hides, importers_start, pose_curves, posing_of
from ..refusal import Refusal
from .clip_record import is_copy


def hiding_tracks(
    rig: Object, channels: Collection[tuple[str, int]], clips: Collection[Action], frames: tuple[float, float]
) -> list[NlaTrack]:
    """The tracks that hide clips on these channels, as (data path, index), on all of some frames.

    What plays the clips themselves hides them even where it poses little. `frames`: the first and the last.
    """
    hiding = []
    for track in nla_tracks_of(posed_block(rig)):
        bags = [] if track.mute else _seen_throughout(track, *frames)
        if any(hides(bag, channels, 0.0 if _is_of(track, clips) else HIDES) for bag in bags):
            hiding.append(track)
    return hiding


def check_tracks_show_clips(
    rig: Object,
    channels: Collection[tuple[str, int]],
    clips: Collection[Action],
    frames: tuple[float, float],
    replace: bool,
) -> None:
    """Refuse an armature with a track that hides clips on these channels on all of some frames.

    A track that plays one of the clips, or what came along with them, is muted without asking: it is safe. So is every
    other one with `replace`.
    """
    for track in hiding_tracks(rig, channels, clips, frames):
        overridden = posed_block(rig).override_library is not None
        if not overridden and (replace or _is_of(track, clips)):
            continue
        text = f"{rig.name} has the NLA track {track.name}, which {posing_of(rig)} and would hide the clips"
        if overridden:
            raise Refusal(f"{text}. Mute it in the file that {rig.name} is linked from.", about=[rig])
        raise Refusal(f"{text}. Mute it, or turn on Replace Own Keys.", about=[rig], remedy="replace_own_keys")


def unmute(rig: Object, names: Collection[str]) -> None:
    """Let the tracks with these names play again."""
    for track in nla_tracks_of(posed_block(rig)):
        if track.name in names:
            track.mute = False


def posed_by_tracks(rig: Object, channels: Collection[tuple[str, int]]) -> dict[tuple[str, int], float]:
    """The values of those channels that tracks of the animator play, where the actions on these begin. What an armature
    shows of them depends on the frame, and is nothing to keep."""
    values = {}
    for track in nla_tracks_of(posed_block(rig)):
        for strip in () if track.mute else track.strips:
            if strip.action is None or is_copy(strip.action):
                continue
            first = strip.action.frame_range[0]
            for curve in pose_curves(bag_of(strip)):
                if (curve.data_path, curve.array_index) in channels:
                    values[curve.data_path, curve.array_index] = float(curve.evaluate(first))
    return values


def _is_of(track: NlaTrack, clips: Collection[Action]) -> bool:
    """Whether a track only plays clips, or what came along with them."""
    starts = {start for clip in clips if (start := importers_start(clip))}
    # Strips of other kinds, such as meta strips, have no action of their own.
    actions = [strip.action for strip in track.strips]
    return all(action and (action in clips or importers_start(action) in starts) for action in actions)


def _seen_throughout(track: NlaTrack, first: float, last: float) -> Iterator[Channelbag | None]:
    """The curves of the strips of a track that cover all others from the first to the last frame."""
    for row, strip in enumerate(track.strips):
        if strip.action is None or is_copy(strip.action) or strip.mute or strip.blend_type != "REPLACE":
            continue
        begins = strip.frame_start <= first or (row == 0 and strip.extrapolation == "HOLD")
        ends = strip.frame_end >= last or strip.extrapolation != "NOTHING"
        if begins and ends and not strip.use_animated_influence:
            yield bag_of(strip)
