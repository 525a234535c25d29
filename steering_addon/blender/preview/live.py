"""The preview while it is on: what it does when the frame or the scene changes, a render starts or time goes back.

One scene at a time has a preview, and only its own viewports show it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...recording.run_cache import KeptRun
from ..absentees import Absentees, publish, withdraw
from ..properties import settings_of
from ..read.plan import frame_range, plan_reading
from ..refusal import Refusal
from ..setting_changes import listen, stop_listening
from ..tagged_objects import in_use
from ..write.visibility import notice
from .poses import Poses
from .read_blocks import read_blocks
from .rehearsal import Rehearsal
from .showing import show

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Scene, ViewLayer

AT_ONCE = 0.25
"""Most seconds of playing on that one change of the frame or the scene may take; the rest follows bit by bit."""
LEAST_PIECE, MOST_PIECE, PAUSE = 0.05, 0.5, 0.01
"""Seconds of playing on, and of leaving the window to the animator, where it follows bit by bit."""
FOR_A_RENDER = "The preview was ended for a render, which shows only what is baked: bake first."


class Live:
    """The preview of one scene.

    Attributes:
        scene: its number in this run of Blender.
        replace_own_keys: whether vehicles with animation of their own are shown as if it were set aside.
        refusal: why nothing can be shown at the moment, empty where it can.
        busy: whether what Blender tells now is our own doing.
    """

    def __init__(self, scene: Scene, replace_own_keys: bool) -> None:
        self.scene = scene.session_uid
        self.replace_own_keys = replace_own_keys
        self.refusal = ""
        self.busy = False
        self._rehearsal: Rehearsal | None = None
        self._kept: KeptRun | None = None
        self._shown: Poses | None = None
        self._arrived = False
        self._reads: frozenset[int] = frozenset()
        self._moves: frozenset[int] = frozenset()
        self._numbers = np.zeros(0, dtype=np.int64)
        self._moved_by_time: set[int] = set()
        self._covered: frozenset[int] = frozenset()
        self._taking_part: tuple = ()
        self._plan_anew(scene)

    @property
    def progress(self) -> tuple[int, int]:
        """The last frame that was played, and the last frame of the run."""
        if self._rehearsal is None:
            return 0, 0
        return self._rehearsal.reached, int(self._rehearsal.plan.frames[-1])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the animator should know although it plays."""
        return self._rehearsal.plan.warnings if self._rehearsal else ()

    def present(self, scene: Scene, depsgraphs: list[Depsgraph], seconds: float, *, fresh: bool = False) -> bool:
        """Show the frame the scene stands on, as far as playing on to it takes no longer; whether that was all.

        Args:
            fresh: whether the first depsgraph was evaluated for this very frame just now, and shows nothing of ours.
        """
        with self._busy():
            self._arrived = False
            withdraw(self.scene)
            try:
                there = self._present(scene, depsgraphs, seconds, fresh)
            except ReferenceError:
                # Something that the plan knew is gone, and nobody has told.
                self.forget_plan()
                there = self._present(scene, depsgraphs, seconds, fresh)
            self._arrived = there and not self.refusal
            if self._arrived and self._rehearsal is not None:
                outside = self._shown.outside
                publish(self.scene, Absentees(self._numbers, outside, self._shown.gone[: len(outside)] & ~outside))
            return there

    def _present(self, scene: Scene, depsgraphs: list[Depsgraph], seconds: float, fresh: bool) -> bool:
        try:
            if self._rehearsal is None and not self.refusal:
                self._plan_anew(scene)
            if self._rehearsal is None:
                return True
            frame = self._rehearsal.within(scene.frame_current)
            here = fresh and scene.frame_current_final == frame
            there = self._rehearsal.reach(frame, seconds, depsgraphs[0] if here else None)
        except Refusal as why:
            self._give_up(str(why))
            return True
        if there:
            self._shown = self._rehearsal.poses(frame)
        if self._shown is not None and len(self._shown.location) == len(self._rehearsal.plan):
            show(self._rehearsal.plan, self._shown, self._rehearsal.hideable, depsgraphs)
        return there

    def changed_by(self, scene: Scene, depsgraph: Depsgraph) -> bool:
        """Whether what Blender has just evaluated may make another run; if so, the next look goes through it anew.

        That goes for the vehicles too, which are seen where they really are once Blender has evaluated them.
        """
        if self._rehearsal is not None and not self._tells_on_run(scene, depsgraph):
            return False
        self.forget_plan()
        return True

    def shrank_camera(self, depsgraph: Depsgraph) -> bool:
        """Whether Blender has just evaluated a camera on somebody hidden, as it does when the animator moves it."""
        if self._rehearsal is None or not self._arrived:
            return False
        hideable = self._rehearsal.hideable
        looking = {camera.session_uid for camera in hideable.looking(hideable.hidden(self._shown.gone))}
        return any(update.id.original.session_uid in looking for update in depsgraph.updates)

    def changed_with_frame(self, depsgraph: Depsgraph) -> None:
        """Look for what was changed by hand or script just before the frame was, of which Blender tells only now.

        What is seen here for the first time may be keyed as well: it is looked at anew once, and then counts as that.
        """
        updated = {update.id.original.session_uid for update in depsgraph.updates} & self._reads
        if not updated <= self._moved_by_time:
            self._moved_by_time |= updated
            self.forget_plan()

    def forget_plan(self) -> None:
        """Look at the scene anew; what was played is kept as far as it still holds."""
        self._rehearsal, self.refusal = None, ""
        withdraw(self.scene)

    def let_go(self) -> None:
        """Have Blender show the vehicles where they really are, and hide those that are hidden there."""
        withdraw(self.scene)
        _evaluate_anew(self._moves)
        if self._covered:
            for ob in bpy.data.objects:
                if ob.session_uid in self._covered:
                    ob.update_tag()
            notice()

    def _tells_on_run(self, scene: Scene, depsgraph: Depsgraph) -> bool:
        updated = any(update.id.original.session_uid in self._reads for update in depsgraph.updates)
        return updated or _taking_part(scene) != self._taking_part

    def _plan_anew(self, scene: Scene) -> None:
        self._taking_part = _taking_part(scene)
        plan = plan_reading(scene, replace_own_keys=self.replace_own_keys)
        self._rehearsal = Rehearsal(plan, self._kept)
        self._kept = self._rehearsal.kept
        hideable = self._rehearsal.hideable
        self._covered |= {ob.session_uid for obs in hideable.covered.values() for ob in obs}
        self._reads = read_blocks(plan)
        self._numbers = np.array([ob.session_uid for ob in plan.vehicles.source.objects], dtype=np.int64)
        moves = frozenset(ob.session_uid for ob in (*plan.vehicles.source.objects, *hideable.resources))
        _evaluate_anew(self._moves - moves)
        self._moves = moves

    def _give_up(self, refusal: str) -> None:
        """Show nothing until the scene changes."""
        self._rehearsal, self._shown, self.refusal = None, None, refusal
        self.let_go()

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
"""When playing on bit by bit has last left the window to the animator."""


def is_on(scene: Scene) -> bool:
    """Whether the preview of a scene is on."""
    return _live is not None and _live.scene == scene.session_uid


def report(scene: Scene) -> str:
    """What the animator should know of the preview now, empty for nothing."""
    if not is_on(scene):
        return _ended
    reached, last = _live.progress
    frame = min(scene.frame_current, last)
    return _live.refusal or (f"Played to frame {reached} of {frame} ..." if reached < frame else "")


def start(scene: Scene, layer: ViewLayer, *, replace_own_keys: bool = False) -> tuple[str, ...]:
    """Switch the preview of a scene on and show its present frame; returns what the animator should know.

    Raises:
        Refusal: something stands in the way; nothing was changed.
    """
    global _live, _ended
    end()
    layer.update()
    _live, _ended = Live(scene, replace_own_keys), ""
    _present(scene, layer.depsgraph)
    if _live.refusal:
        refusal = _live.refusal
        end()
        raise Refusal(refusal)
    return _live.warnings


def end() -> None:
    """Switch the preview off, wherever it is on; the vehicles are shown where they really are."""
    global _live
    live, _live = _live, None
    if live is not None:
        live.let_go()


def _present(scene: Scene, depsgraph: Depsgraph, *, fresh: bool = False) -> None:
    """Show the present frame; where that takes long, go on bit by bit."""
    if not _carry_on(scene, depsgraph, float("inf") if bpy.app.background else AT_ONCE, fresh=fresh):
        _later(_catch_up)


def _catch_up() -> float | None:
    """Play on for a moment; Blender calls this until the present frame is reached."""
    global _rested
    if _live is None:
        return None
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == _live.scene), None)
    if scene is None:
        end()
        return None
    # As much work as drawing the window took since: where drawing is slow, playing on is not much slower.
    drawing = time.perf_counter() - _rested
    there = _carry_on(scene, None, min(max(drawing, LEAST_PIECE), MOST_PIECE))
    _rested = time.perf_counter()
    return None if there else PAUSE


def _carry_on(scene: Scene, depsgraph: Depsgraph | None, seconds: float, *, fresh: bool = False) -> bool:
    """Show the present frame in all viewports of the scene, as far as there is time; whether there is no more to do.

    Where there is a mistake in the program the preview ends, so that it is met once and not on every frame.
    """
    layers = [window.view_layer for window in bpy.context.window_manager.windows if window.scene == scene]
    depsgraphs = [depsgraph] if depsgraph is not None else []
    for other in (layer.depsgraph for layer in layers):
        if other is not None and other not in depsgraphs:
            depsgraphs.append(other)
    try:
        return _live.present(scene, depsgraphs, seconds, fresh=fresh)
    except BaseException:
        end()
        raise
    finally:
        _redraw_panels()


def _later(function) -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(function):
        bpy.app.timers.register(function, first_interval=0.0)


def _ours(scene: Scene, depsgraph: Depsgraph | None) -> bool:
    """Whether something happens in a viewport of the preview's scene, and not by our own doing."""
    if _live is None or _live.busy or scene.session_uid != _live.scene:
        return False
    return depsgraph is not None and depsgraph.mode == "VIEWPORT"


@persistent
def _on_frame(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    if not _ours(scene, depsgraph):
        return
    if _viewport_is_rendered():
        _end_for_a_render()
        return
    _live.changed_with_frame(depsgraph)
    _present(scene, depsgraph, fresh=True)


@persistent
def _on_update(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    if _ours(scene, depsgraph) and (_live.changed_by(scene, depsgraph) or _live.shrank_camera(depsgraph)):
        _present(scene, depsgraph)


def _on_setting() -> None:
    if _live is not None:
        _live.forget_plan()


@persistent
def _before_undo(*_) -> None:
    """Undo puts other objects in place of those a plan knows."""
    if _live is not None:
        _live.forget_plan()


@persistent
def _after_undo(*_) -> None:
    if _live is not None:
        _later(_catch_up)


@persistent
def _before_load(*_) -> None:
    global _ended
    end()
    _ended = ""


@persistent
def _on_render(*_) -> None:
    if _live is not None:
        _end_for_a_render()


def _end_for_a_render() -> None:
    """Blender lets nobody stop a render, but what it renders is not the preview, and the animator is told so."""
    global _live, _ended
    if threading.current_thread() is threading.main_thread():
        end()
        _ended = FOR_A_RENDER
    else:
        # In the thread of a render nothing in the file may be touched.
        live, _live, _ended = _live, None, FOR_A_RENDER
        _later(live.let_go)
    print(FOR_A_RENDER)
    _later(_tell)


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
    """Who takes part in the run of a scene, and the scene's own settings for it."""
    stored = settings_of(scene)
    own = (stored.preroll, stored.substeps, stored.seed) if stored is not None else ()
    roles = tuple(
        (ob.session_uid, frozenset(settings.roles))
        for ob in in_use(scene)
        if (settings := settings_of(ob)) is not None and settings.roles
    )
    return (*frame_range(scene), scene.render.fps, scene.render.fps_base, *own, roles)


def _evaluate_anew(moved: frozenset[int]) -> None:
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
    "undo_pre": _before_undo,
    "redo_pre": _before_undo,
    "undo_post": _after_undo,
    "redo_post": _after_undo,
    "load_pre": _before_load,
    "render_init": _on_render,
}


def register() -> None:
    listen(_on_setting)
    for moment, handler in HANDLERS.items():
        getattr(bpy.app.handlers, moment).append(handler)


def unregister() -> None:
    end()
    stop_listening(_on_setting)
    for function in (_catch_up, _tell):
        if bpy.app.timers.is_registered(function):
            bpy.app.timers.unregister(function)
    for moment, handler in HANDLERS.items():
        getattr(bpy.app.handlers, moment).remove(handler)
