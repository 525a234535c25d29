"""The panels of the bake: preview, bake, delete the bake, what to look at, and the settings of the simulation."""

from bpy.types import Context, Object, Scene, UILayout

from ...recording.mishaps import STUCK
from .. import preview
from ..animation.frame_rate import frame_range
from ..objects.crowd_caches import crowd_of_player
from ..objects.focus import crowd_in_focus, vehicle_of
from ..objects.tagged_objects import crowd_of, full_name, object_named
from ..operators.findings import REFUSED, WORDS, stuck_warnings, warnings_of_many
from ..properties import settings_of
from ..status.census import Census, known, settled
from ..status.findings import FindingKind
from ..status.inactivity import why_still
from ..status.refused import Refused, last_refused
from .crowds import lost_crowds
from .fields import as_popover, counted, draw_properties, fields, fits, in_tab, note, note_in_popover, shorten


class Baking:
    """The buttons and the state of the bake, each always in the same place, then what prevents motion."""

    bl_label = "Bake"

    def draw(self, context) -> None:
        layout, scene, census = self.layout, context.scene, known(context.scene)
        playing, movable = preview.is_on(scene), census is None or census.free > 0
        column = layout.column(align=True)
        row = _large(column, enabled=playing or movable)
        text, icon = ("Stop Preview", "PAUSE") if playing else ("Preview", "PLAY")
        row.operator("steering.preview", text=text, icon=icon, depress=playing)
        row = _large(column)
        baking = row.row(align=True)
        baking.enabled = movable
        baking.operator("steering.bake", text="Bake", icon="REC").selected = False
        deleting = row.row(align=True)
        # The operator says why it is disabled, unless its counts are still to come.
        deleting.enabled = census is None or census.baked > 0 or settled(scene) is not None
        deleting.operator("steering.clear_bake", icon="TRASH").selected = False
        row = column.row(align=True)
        selected = context.selected_objects
        row.enabled = any(_may_be_baked(vehicle_of(ob), census) or crowd_of_player(ob) for ob in selected)
        row.operator("steering.bake", text="Bake Selected").selected = True
        box = layout.box().column(align=True)
        box.scale_y = 0.8
        state, extent, icon = _state(context, census)
        box.label(text=state, icon=icon, translate=False)
        box.label(text=extent, icon="BLANK1", translate=False)
        _look_at(box, context, census)
        for finding in census.findings if census is not None else ():
            if finding.kind is FindingKind.EDITED:
                subject = f"{counted(len(finding.objects), 'Vehicle')} with Edited Keys"
                box.operator("steering.lock_edited", text=f"Lock {subject}", icon="LOCKED")
        text, icon = _advice(context, census) if census is not None else ("", "NONE")
        note(layout, context, text, icon=icon)
        if census is not None and census.lost:
            lost_crowds(layout, context, census)


def _may_be_baked(vehicle: Object | None, census: Census | None) -> bool:
    """Whether a bake of a vehicle alone would move it; also if that is not known."""
    if vehicle is None or vehicle.steering.locked:
        return False
    crowd = crowd_of(vehicle)
    return census is None or (crowd is not None and full_name(crowd) in census.crowds)


def _large(layout: UILayout, *, enabled: bool = True) -> UILayout:
    """A row for the main buttons."""
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.enabled = enabled
    return row


def _state(context: Context, census: Census | None) -> tuple[str, str, str]:
    """The state of the preview or bake in a line, the vehicles and frames that it is about, and an icon."""
    scene = context.scene
    if census is None:
        return "", "", "NONE"
    first, last = frame_range(scene)
    extent = _extent(census.free, first, last)
    if preview.is_on(scene):
        frame, report = min(max(scene.frame_current, first), last), preview.report(scene)
        return report if report and fits(context, report) else f"Previewing: frame {frame} of {last}", extent, "PLAY"
    if not census.vehicles:
        return "Nothing to bake yet", "Select objects, make them vehicles", "INFO"
    if not census.bake.vehicles:
        return "Not baked", extent, "RADIOBUT_OFF"
    baked = census.bake
    extent = _extent(baked.vehicles, int(baked.first), int(baked.last))
    if baked.outdated:
        return "Outdated: changed since the bake", extent, "ERROR"
    if (int(baked.first), int(baked.last)) != (first, last):
        return f"Outdated: now frames {first} to {last}", extent, "ERROR"
    if baked.clips:
        return "Outdated: clips changed. Bake again", extent, "ERROR"
    return "Baked", extent, "CHECKMARK"


def _extent(vehicles: int, first: int, last: int) -> str:
    return f"{counted(vehicles, 'vehicle')}, frames {first} to {last}"


def _advice(context: Context, census: Census) -> tuple[str, str]:
    """The problem to solve, with an icon; empty if there is none."""
    report = preview.report(context.scene)
    if report and not (preview.is_on(context.scene) and fits(context, report)):
        return report, "INFO"
    if not census.free and census.lost and not census.crowds:
        return "", "NONE"
    if census.vehicles and not census.free:
        return "All vehicles are locked. Unlock those that should move", "ERROR"
    # For a crowd in focus, the Behaviors panel shows the reason.
    if crowd_in_focus(context) is None and (reason := _why_nothing_moves(census)):
        return reason, "ERROR"
    return "", "NONE"


def _why_nothing_moves(census: Census) -> str:
    """Why the first crowd does not move, if no crowd of the scene does; empty otherwise."""
    crowds = [object_named(name) for name in sorted(census.crowds)]
    reasons = ["" if crowd is None else why_still(crowd, census) for crowd in crowds]
    return f"{crowds[0].name}: {reasons[0]}" if reasons and all(reasons) else ""


def _look_at(layout: UILayout, context: Context, census: Census | None) -> None:
    """Add the line that opens what to look at; it is empty if there is nothing, so that nothing below it moves."""
    listed = _list_sentences(context.scene, census)
    row = layout.row()
    if not listed:
        row.label(text="")
        return
    others = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
    row.popover("STEERING_PT_findings", text=shorten(context, listed[0], others), icon="ERROR", translate=False)


def _list_sentences(scene: Scene, census: Census | None) -> list[str]:
    """The sentences of the list of what to look at."""
    refused = last_refused(scene)
    texts = [refused.text] if refused is not None else []
    if census is not None:
        texts += [text for _, text in _mishaps(census)]
        texts += [finding.text for finding in census.findings]
    return texts


def _mishaps(census: Census) -> list[tuple[str, str]]:
    """The kinds of what went wrong in the bake, with the number of vehicles in words, or with who, when and what to do.
    A report with all that is gone at the next click."""
    counts = census.bake.mishaps
    texts = {kind: f"{counted(counts[kind], 'vehicle')} {words}" for kind, words in WORDS.items() if counts.get(kind)}
    if STUCK in texts:
        texts[STUCK] = "".join(stuck_warnings(census.bake.stuck)) or texts[STUCK]
    return list((texts | warnings_of_many(counts)).items())


class Findings:
    """A list to look at: the last refusal, then what was found before and after the bake; a click selects it."""

    bl_label = "To Look At"
    bl_description = "What would go wrong in silence before the bake, and what did in it"
    bl_ui_units_x = 17

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(_list_sentences(context.scene, known(context.scene)))

    def draw(self, context) -> None:
        layout, census = self.layout, known(context.scene)
        layout.label(text=Findings.bl_label)
        if (refused := last_refused(context.scene)) is not None:
            _refusal(layout, context.scene, refused)
        if census is None:
            return
        for kind, text in _mishaps(census):
            row = _entry(layout, text, "ERROR")
            row.operator("steering.select_contacts", text="", icon="RESTRICT_SELECT_OFF").kind = kind.upper()
        for finding in census.findings:
            row = _entry(layout, finding.text, finding.kind.value)
            icon = (
                "HIDE_OFF"
                if finding.kind in (FindingKind.HIDDEN, FindingKind.NOT_COUNTED, FindingKind.NOT_IN_SCENE)
                else "RESTRICT_SELECT_OFF"
            )
            select = row.operator("steering.finding_select", text="", icon=icon)
            select.kind, select.text = finding.kind.name, finding.text


def _entry(layout: UILayout, text: str, icon: str) -> UILayout:
    """Add a wrapped sentence; returns the layout to its right, for a button."""
    row = layout.row()
    note_in_popover(row, text, icon, Findings.bl_ui_units_x)
    return row


def _refusal(layout: UILayout, scene: Scene, refused: Refused) -> None:
    """Add a refusal with the objects that it names and the setting that it recommends."""
    row = _entry(layout, refused.text, "CANCEL")
    if refused.objects:
        row.operator("steering.finding_select", text="", icon="RESTRICT_SELECT_OFF").kind = REFUSED
    stored = settings_of(scene)
    if refused.remedy and stored is not None:
        layout.prop(stored, refused.remedy)


class Run:
    """The settings of the scene's simulation."""

    bl_label = "Settings"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        return settings_of(context.scene) is not None

    def draw(self, context) -> None:
        stored = context.scene.steering
        column = fields(self.layout)
        column.prop(stored, "use_frame_range")
        if stored.use_frame_range:
            draw_properties(column.column(align=True), stored, ("frame_start", "frame_end"))
        column.prop(stored, "keying")
        if stored.keying == "WHERE_NEEDED":
            draw_properties(column.column(align=True), stored, ("key_tolerance", "key_angle"))
        draw_properties(column, stored, ("substeps", "decision_time", "seed", "replace_own_keys", "crowd"))


CLASSES = (in_tab(Baking, "bake"), as_popover(Findings, "findings"), in_tab(Run, "run", "bake"))
