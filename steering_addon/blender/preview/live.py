"""The preview while it is on: its reaction to changes of the frame and the scene, to renders and to undo.

One scene at a time has a preview, and only viewports of that scene show it.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Depsgraph, Scene, ViewLayer

from ...recording.run_cache import KeptRun
from .. import handlers
from ..animation.frame_rate import frame_range
from ..animation.ownership import replaces_own_keys
from ..animation.visibility import notice
from ..clips.crowd_clips import measure_unknown
from ..handlers import listen, owner, stop_listening
from ..objects.tagged_objects import in_use
from ..properties import scene_setting, settings_of
from ..read.plan import plan_reading
from ..refusal import Refusal
from .published import publish, withdraw
from .readings import Readings, crowds_of_settings, read_blocks
from .rehearsal import Rehearsal
from .showing import Shown, show
from .stand_ins import StandIns, covered, viewports

AT_ONCE = 0.25
"""Most seconds that a change of the frame or the scene may take to simulate; the rest follows in pieces."""
LEAST_PIECE, MOST_PIECE, PAUSE = 0.15, 0.45, 0.01
"""Seconds of a piece, at least and at most, and of the pause between pieces, in which the window responds."""
DRAWING_SHARE = 0.3
"""Most of the time that may be spent on drawing the window between pieces, if that does not make them too long."""
FOR_A_RENDER = "The preview was ended for a render, which shows what is baked."


class Live:
    """The preview of one scene.

    Attributes:
        scene: its session_uid.
        replace_own_keys: whether the vehicles' own animation is ignored.
        refusal: why nothing can be shown at the moment; empty if it can.
        stand_ins: what shows vehicles that are not objects in view.
        busy: whether the preview itself causes the updates that Blender reports.
    """

    def __init__(self, scene: Scene, replace_own_keys: bool) -> None:
        self.scene = scene.session_uid
        self.replace_own_keys = replace_own_keys
        self.refusal = ""
        self.busy = False
        self.stand_ins = StandIns()
        self._rehearsal: Rehearsal | None = None
        self._kept: KeptRun | None = None
        self._readings: Readings | None = None
        self._shown: Shown | None = None
        self._swings: dict[tuple, np.ndarray | None] = {}
        self._posed: set[int] = set()
        self._arrived = False
        self._reads: frozenset[int] = frozenset()
        self._crowds: frozenset[int] = frozenset()
        self._moves: frozenset[int] = frozenset()
        self._moved_by_time: set[int] = set()
        self._covered: frozenset[int] = frozenset()
        self._taking_part: tuple = ()
        self._plan_again(scene)

    @property
    def progress(self) -> tuple[int, int]:
        """The last frame that was simulated, and the last frame of the run."""
        if self._rehearsal is None:
            return 0, 0
        return self._rehearsal.reached, int(self._rehearsal.plan.frames[-1])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that do not prevent the preview."""
        return self._rehearsal.plan.warnings if self._rehearsal else ()

    def present(
        self,
        scene: Scene,
        depsgraphs: list[Depsgraph],
        seconds: float,
        *,
        fresh: bool = False,
        carries_on: bool = False,
    ) -> bool:
        """Show the scene's current frame; whether it was reached within the seconds. `fresh`: whether the first
        depsgraph was just evaluated for this frame, and shows nothing of the preview; `carries_on`: whether nothing has
        been evaluated since this was called before."""
        with self._busy():
            self._arrived = False
            withdraw(self.scene)
            try:
                reached = self._present(scene, depsgraphs, seconds, fresh, carries_on)
            except ReferenceError:
                # An object of the plan, or one of ours, was removed without an update.
                self.forget_plan()
                _remove_stand_ins()
                reached = self._present(scene, depsgraphs, seconds, fresh, False)
            self._arrived = reached and not self.refusal
            return reached

    def _present(
        self, scene: Scene, depsgraphs: list[Depsgraph], seconds: float, fresh: bool, carries_on: bool
    ) -> bool:
        try:
            if self._rehearsal is None and not self.refusal:
                self._plan_again(scene)
            if self._rehearsal is None:
                return True
            frame = self._rehearsal.within(scene.frame_current)
            readable = fresh and scene.frame_current_final == frame
            reached = self._rehearsal.reach(frame, seconds, depsgraphs[0] if readable else None)
        except Refusal as why:
            self._rehearsal, self._shown, self.refusal = None, None, str(why)
            self.let_go()
            return True
        if reached:
            self._shown = self._rehearsal.shown(frame)
            # The overlay draws states as soon as the vehicles are shown.
            publish(self.scene, self._rehearsal.published(frame))
        elif carries_on and not self._rehearsal.has_swept:
            # The vehicles still show this. Showing it again would have the view drawn again.
            return False
        if self._shown is not None and self._shown.fits(self._rehearsal.plan):
            now = self._rehearsal
            plain = now.plain if len(depsgraphs) == 1 and plays_in_whole_views(scene) else None
            posed = show(
                now.plan, self._shown, now.hideable, now.stands, self.stand_ins, now.driven, depsgraphs, plain, fresh
            )
            self._posed |= {ob.session_uid for ob in posed}
        return reached

    def changed_by(self, scene: Scene, depsgraph: Depsgraph) -> bool:
        """Whether what Blender has just evaluated may change the run; if so, it is planned again.

        This includes the vehicles, which show their real pose once Blender has evaluated them.
        """
        updated = self._updated(depsgraph)
        if _taking_part(scene) != self._taking_part or (self._rehearsal and self._rehearsal.is_outdated(scene)):
            self.forget_plan()
        elif updated or self._rehearsal is None:
            self.forget_plan(updated)
        else:
            return False
        return True

    def shrank_camera(self, depsgraph: Depsgraph) -> bool:
        """Whether Blender has just evaluated a camera on a hidden vehicle, as when the animator moves it."""
        if self._rehearsal is None or not self._arrived:
            return False
        hideable = self._rehearsal.hideable
        looking = {camera.session_uid for camera in hideable.looking(hideable.hidden(self._shown.gone))}
        return any(update.id.original.session_uid in looking for update in depsgraph.updates)

    def changed_with_frame(self, scene: Scene, depsgraph: Depsgraph) -> None:
        """Look for changes by hand or script before a change of the frame, which Blender reports together with it.

        A datablock reported for the first time may also be merely animated: the run is planned again once, and then the
        datablock counts as animated.
        """
        updated = self._updated(depsgraph)
        if self._rehearsal and self._rehearsal.is_outdated(scene):
            self.forget_plan()
        if not updated <= self._moved_by_time:
            self._moved_by_time |= updated
            self.forget_plan(updated)

    def forget_plan(self, changed: Iterable[int] | None = None) -> None:
        """Plan the run again; frames simulated so far are kept while they still hold. `changed`: the session_uid of all
        datablocks that have changed, if they are known. If they are crowds, the frames read so far are kept, too."""
        if changed is None or not self._crowds.issuperset(changed):
            self._readings = None
        self._rehearsal, self.refusal = None, ""
        withdraw(self.scene)

    def let_go(self) -> None:
        """Let Blender show the vehicles in their real poses, and hide those that are really hidden."""
        withdraw(self.scene)
        _remove_stand_ins()
        _evaluate_again(self._moves)
        for ob in bpy.data.objects:
            if ob.session_uid in self._posed or ob.session_uid in self._covered:
                ob.update_tag()
        self._posed = set()
        if self._covered:
            notice()

    def _updated(self, depsgraph: Depsgraph) -> set[int]:
        """The datablocks that the run reads and Blender has just evaluated."""
        return {update.id.original.session_uid for update in depsgraph.updates} & self._reads

    def _plan_again(self, scene: Scene) -> None:
        self._taking_part = _taking_part(scene)
        plan = plan_reading(scene, replace_own_keys=replaces_own_keys(self, scene))
        self._rehearsal = Rehearsal(plan, self._kept, self._readings, self._swings)
        self._kept, self._readings = self._rehearsal.kept, self._rehearsal.readings
        self._crowds = crowds_of_settings(plan)
        hideable = self._rehearsal.hideable
        self._covered |= {ob.session_uid for obs in hideable.covered.values() for ob in obs}
        self._reads = read_blocks(plan)
        moved = (*plan.vehicles.source.objects, *covered(plan), *hideable.resources)
        moves = frozenset(ob.session_uid for ob in moved)
        _evaluate_again(self._moves - moves)
        self._moves = moves

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self.busy = True
        try:
            yield
        finally:
            self.busy = False


_live: Live | None = None
_ended = ""
_rested = 0.0
"""When a piece of simulating last ended, and left the window to the animator."""
_headers: set[int] = set()
"""The addresses of the areas whose headers tell the progress."""


def is_on(scene: Scene) -> bool:
    """Whether the preview of a scene is on."""
    return _live is not None and _live.scene == scene.session_uid


def report(scene: Scene) -> str:
    """The message to show about the preview, empty if there is none."""
    if not is_on(scene):
        return _ended
    reached, last = _live.progress
    frame = min(scene.frame_current, last)
    return _live.refusal or (f"Played to frame {reached} of {frame} ..." if reached < frame else "")


def plays_in_whole_views(scene: Scene) -> bool:
    """Whether the timeline of a scene plays, and each viewport shows all of it, as it was evaluated or not."""
    windows = bpy.context.window_manager.windows
    return any(window.scene == scene and window.screen.is_animation_playing for window in windows) and not any(
        # A render engine takes only what was evaluated.
        view.shading.type == "RENDERED" or view.local_view or view.use_local_collections
        for view in viewports(scene)
    )


def start(scene: Scene, layer: ViewLayer, *, replace_own_keys: bool = False) -> tuple[str, ...]:
    """Switch the preview of a scene on and show the current frame; returns warnings. Refused if the scene cannot be
    simulated; nothing was changed."""
    global _live, _ended
    end()
    # Not while it is on, when adding a datablock would change the scene.
    measure_unknown(scene)
    layer.update()
    _live, _ended = Live(scene, replace_own_keys), ""
    _present(scene, layer.depsgraph)
    if _live.refusal:
        refusal = _live.refusal
        end()
        raise Refusal(refusal)
    return _live.warnings


def end() -> None:
    """Switch the preview off, in any scene; the vehicles show their real poses."""
    global _live
    live, _live = _live, None
    if live is not None:
        live.let_go()
        _tell_progress("")


def _present(scene: Scene, depsgraph: Depsgraph, *, fresh: bool = False) -> None:
    """Show the current frame; if that takes long, continue in pieces."""
    if not _carry_on(scene, depsgraph, float("inf") if bpy.app.background else AT_ONCE, fresh=fresh):
        handlers.later(_catch_up)


def _catch_up() -> float | None:
    """Simulate for a moment; Blender calls this until the current frame is reached."""
    global _rested
    if _live is None:
        return None
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == _live.scene), None)
    if scene is None:
        end()
        return None
    drawing = time.perf_counter() - _rested
    piece = min(max(drawing * (1.0 - DRAWING_SHARE) / DRAWING_SHARE, LEAST_PIECE), MOST_PIECE)
    reached = _carry_on(scene, None, piece)
    _rested = time.perf_counter()
    return None if reached else PAUSE


def _carry_on(scene: Scene, depsgraph: Depsgraph | None, seconds: float, *, fresh: bool = False) -> bool:
    """Show the current frame in all viewports of the scene; whether it was reached within the seconds.

    On an error of the program the preview ends, so that it is raised once and not on every frame.
    """
    layers = [window.view_layer for window in bpy.context.window_manager.windows if window.scene == scene]
    depsgraphs = [depsgraph] if depsgraph is not None else []
    for other in (layer.depsgraph for layer in layers):
        if other is not None and other not in depsgraphs:
            depsgraphs.append(other)
    try:
        reached = _live.present(scene, depsgraphs, seconds, fresh=fresh, carries_on=depsgraph is None)
        _tell_progress("" if reached else f"Preview: {report(scene)}")
        return reached
    except BaseException:
        end()
        raise
    finally:
        _redraw_panels()


def _tell_progress(text: str) -> None:
    """Write a text into the headers of the 3D views of the preview's scene, or give the headers back."""
    global _headers
    if bpy.app.background or not (text or _headers):
        return
    headers = set()
    for window in bpy.context.window_manager.windows:
        # An operator such as Move writes there, too.
        shows = text and is_on(window.scene) and not len(window.modal_operators)
        for area in window.screen.areas:
            if shows and area.type == "VIEW_3D":
                area.header_text_set(text)
                headers.add(area.as_pointer())
            elif area.as_pointer() in _headers:
                area.header_text_set(None)
    _headers = headers


def _ours(scene: Scene, depsgraph: Depsgraph | None) -> bool:
    """Whether an update concerns a viewport of the preview's scene and is not caused by the preview itself."""
    if _live is None or _live.busy or scene.session_uid != _live.scene:
        return False
    return depsgraph is not None and depsgraph.mode == "VIEWPORT"


def _on_frame(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    if not _ours(scene, depsgraph):
        return
    if _viewport_is_rendered():
        _end_for_a_render()
        return
    _live.changed_with_frame(scene, depsgraph)
    _present(scene, depsgraph, fresh=True)


def _on_update(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    if _ours(scene, depsgraph) and (_live.changed_by(scene, depsgraph) or _live.shrank_camera(depsgraph)):
        _present(scene, depsgraph)


def _on_stop(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    """Show vehicles themselves, which may be clicked, once the timeline has stopped."""
    if _ours(scene, depsgraph):
        _present(scene, depsgraph)


def _on_setting() -> None:
    if _live is not None:
        _live.forget_plan({owner()})


def _before_undo(*_) -> None:
    """Undo replaces the objects that a plan refers to."""
    if _live is not None:
        _live.forget_plan()


def _after_undo(*_) -> None:
    _remove_stand_ins()
    if _live is not None:
        handlers.later(_catch_up)


def _remove_stand_ins(*_) -> None:
    """Remove what stands in for vehicles: it does not belong into a file, and comes back with what is shown next."""
    stand_ins = StandIns() if _live is None else _live.stand_ins
    for scene in bpy.data.scenes:
        stand_ins.end(scene)


def _after_save(*_) -> None:
    if _live is not None:
        handlers.later(_catch_up)


def _before_load(*_) -> None:
    global _ended
    end()
    _ended = ""


def _on_render(*_) -> None:
    if _live is not None:
        _end_for_a_render()


def _end_for_a_render() -> None:
    """A render cannot be stopped, but it does not show the preview, and the animator is told so."""
    global _live, _ended
    if threading.current_thread() is threading.main_thread():
        end()
        _ended = FOR_A_RENDER
    else:
        # In the thread of a render nothing in the file may be touched.
        live, _live, _ended = _live, None, FOR_A_RENDER
        handlers.later(live.let_go)
    print(FOR_A_RENDER)
    handlers.later(_tell)


def _tell() -> None:
    """Say in the window why the preview has ended."""

    def draw(menu, _context) -> None:
        menu.layout.label(text=_ended)

    bpy.context.window_manager.popup_menu(draw, title="Steering Behaviors", icon="INFO")
    _redraw_panels()


def _viewport_is_rendered() -> bool:
    """Whether Render > Viewport Render Animation is at work, which pictures what the viewport shows."""
    return any(
        operator.bl_idname == "RENDER_OT_opengl"
        for window in bpy.context.window_manager.windows
        for operator in getattr(window, "modal_operators", ())
    )


def _taking_part(scene: Scene) -> tuple:
    """The tagged objects of a scene and its settings for the run: a change of these changes the run."""
    settings = tuple(scene_setting(scene, name) for name in ("substeps", "decision_time", "seed"))
    roles = tuple(
        (ob.session_uid, frozenset(tagged.roles))
        for ob in in_use(scene)
        if (tagged := settings_of(ob)) is not None and tagged.roles
    )
    return (*frame_range(scene), scene.render.fps, scene.render.fps_base, *settings, roles)


def _evaluate_again(moved: frozenset[int]) -> None:
    for ob in bpy.data.objects if moved else ():
        if ob.session_uid in moved:
            ob.update_tag(refresh={"OBJECT"})


def _redraw_panels() -> None:
    for window in bpy.context.window_manager.windows if not bpy.app.background else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


HANDLERS = {
    "frame_change_post": _on_frame,
    "depsgraph_update_post": _on_update,
    "animation_playback_post": _on_stop,
    "undo_pre": _before_undo,
    "redo_pre": _before_undo,
    "undo_post": _after_undo,
    "redo_post": _after_undo,
    "load_pre": _before_load,
    "load_post": _remove_stand_ins,
    "save_pre": _remove_stand_ins,
    "save_post": _after_save,
    "render_init": _on_render,
}


def register() -> None:
    listen(_on_setting)
    handlers.begin(HANDLERS)


def unregister() -> None:
    end()
    stop_listening(_on_setting)
    handlers.end(HANDLERS, _catch_up, _tell)
