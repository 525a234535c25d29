"""Whether the clips that a bake has written are still those of the crowds, played as they are set to be."""

from collections.abc import Iterable, Mapping

from bpy.types import Object

from ...simulation.roles import Role
from ..animation.bake_record import BakeRecord
from ..clips.clip_record import clip_record
from ..clips.crowd_clips import clips_made_of, stored_clips
from ..objects.crowd_caches import cache_of, cached_as, clips_in
from ..objects.hierarchy import ancestors
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of
from ..properties import has_role


def changed_clips(objects: Iterable[Object], records: Mapping[Object, BakeRecord]) -> list[Object]:
    """The crowds whose clips, or how they are played, have changed since they were written onto baked vehicles.
    `objects`: of the scene; `records`: the bake of each vehicle that plays one."""
    objects = list(objects)
    written: dict[Object, set[str]] = {}
    for ob in objects:
        if (record := clip_record(ob)) is not None:
            vehicle = next((each for each in (ob, *ancestors(ob)) if each in records), None)
            crowd = crowd_of(vehicle) if vehicle is not None and not vehicle.steering.locked else None
            if crowd is not None:
                written.setdefault(crowd, set()).add(record.made_of)
    free = [ob for ob, record in records.items() if record.moves and not ob.steering.locked]
    baked = {crowd_of(ob) for ob in free if cached_as(ob) is None} - {None}
    for crowd in {crowd_of(ob) for ob in free if cached_as(ob) is not None} - {None}:
        if (cache := cache_of(crowd)) is not None:
            written.setdefault(crowd, set()).add(clips_in(cache))
    never = [crowd for crowd in baked if crowd not in written and stored_clips(crowd)]
    # Of strips on library overrides it is not known after the file was opened again.
    numbers = state_numbers(ob for ob in objects if has_role(ob, Role.STATE)) if written else {}
    changed = [
        crowd
        for crowd, made in written.items()
        if made - {""} - {clips_made_of(crowd, {ob: n for ob, n in numbers.items() if crowd_of(ob) == crowd})}
    ]
    return sorted(changed + never, key=lambda crowd: crowd.name_full)
