"""The datablocks that a run reads: a change of any of them may change the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..read.dependencies import blocks, with_all_behind
from ..read.plan import Plan
from ..read.sweep import to_link

if TYPE_CHECKING:
    from bpy.types import ID


def read_blocks(plan: Plan) -> frozenset[int]:
    """The session_uid of all objects, shapes and actions that a plan is read from."""
    objects = [*plan.vehicles.source.objects, *to_link(plan)]
    read = (block for ob in with_all_behind(objects) for each in blocks(ob) for block in _with_actions(each))
    return frozenset(block.session_uid for block in read)


def _with_actions(block: ID) -> Iterator[ID]:
    yield block
    animation = block.animation_data
    if animation is not None:
        strips = [strip.action for track in animation.nla_tracks for strip in track.strips]
        yield from (action for action in (animation.action, *strips) if action is not None)
