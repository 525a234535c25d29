"""Operators that work in pieces: between two, Blender draws the progress and looks whether Esc was pressed."""

import time
from collections.abc import Generator

import bpy
from bpy.types import Context

from ..pieces import in_one_go
from ..refusal import Refusal
from .polls import SteeringOperator

LEAST_PIECE, MOST_PIECE = 0.2, 2.0
"""Seconds of work between two looks at events: Esc stops the work soon, but slow drawing takes little of the time."""
FIRST_PIECE = 0.5
"""Seconds of work before the first look at events and the first drawing."""
NEARLY_DONE = 1.5
"""If no more than these seconds are left at the end of a piece, the work is completed before the next drawing.

Every return to Blender draws the window, which would take as long as the rest of a short work.
"""
PER_DRAWING = 5.0
"""Seconds of a piece of work for each second that Blender took to get back to it, which it spends on drawing.

After a frame was read, it draws the 3D views again each time it gets back, until their edges are smooth: eight times.
"""
INFINITE = float("inf")
Work = Generator[float | None, None, str]
"""The work of an operator: it yields the share that is done, None for no more, and returns what to report last."""
INTERVAL = 0.001
"""Seconds between two pieces of work."""
DRAWING_SHARE = 0.08
"""Most of the time of the work that is spent on drawing its progress, which may take longer than a piece of work."""
LEAST_BETWEEN, MOST_BETWEEN = 0.3, 3.0
"""Least and most seconds between two drawings of the progress: a bar that stands still for longer looks hung."""
TOLD = 10.0
"""Seconds for which it is told that a work was canceled."""
ESTIMATED = 2.0
"""Seconds after which the time left is estimated."""


class InPieces(SteeringOperator):
    """An operator of which the work is a generator that yields the share that is done.

    In a window it works in pieces, and Esc closes the generator until that yields 1. Without a window, or called by a
    script, it works without a break. Its class comes before `bpy.types.Operator` among the bases.
    """

    canceled: str
    """The text that the status bar shows after Esc."""

    def begin(self, context: Context) -> tuple[Work, str]:
        """Check everything, and return the work and what the status bar calls it. May raise a Refusal."""
        raise NotImplementedError

    def _end(self, outcome: str) -> set[str]:
        self.report({"INFO"}, outcome)
        return {"FINISHED"}

    def execute(self, context):
        """Work without returning in between, for scripts and background runs."""
        try:
            self._begin(context)
            while (outcome := self._work(INFINITE)) is None:
                pass
        except Refusal as refusal:
            return self.refused(refusal)
        return self._end(outcome)

    def invoke(self, context, _event):
        # The only sign of a background run: it has a window too, but no event ever reaches that.
        if bpy.app.background:
            return self.execute(context)
        try:
            self._begin(context)
            outcome = self._work(FIRST_PIECE)
        except Refusal as refusal:
            return self.refused(refusal)
        if outcome is not None:
            return self._end(outcome)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self._timer = manager.event_timer_add(INTERVAL, window=context.window)
        self._due = 0.0
        self._show_status(context)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and self._progress < 1.0:
            self.cancel(context)
            # Blender shows no report of an operator that is canceled, and a popup would lie over the buttons.
            _tell(context, f"{self.canceled}: nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        self._plan_drawing()
        drawing = time.perf_counter() - self._pause_time
        try:
            outcome = self._work(min(max(PER_DRAWING * drawing, LEAST_PIECE), MOST_PIECE))
        except Refusal as refusal:
            self._end_modal(context)
            return self.refused(refusal)
        except BaseException:
            self._end_modal(context)
            raise
        if outcome is None:
            if time.perf_counter() >= self._due:
                self._show_status(context)
            return {"RUNNING_MODAL"}
        self._end_modal(context)
        return self._end(outcome)

    def cancel(self, context) -> None:
        """Stop without a trace. Blender also calls this when the window closes."""
        if self._progress < 1.0:
            self._steps.close()
        else:
            in_one_go(self._steps)
        self._end_modal(context)

    def _begin(self, context: Context) -> None:
        self._start_time = time.perf_counter()
        self._steps, self._label = self.begin(context)
        self._progress = 0.0
        self._pause_time = time.perf_counter()

    def seconds(self) -> float:
        """The time since the beginning."""
        return time.perf_counter() - self._start_time

    def _plan_drawing(self) -> None:
        """Find out how long the last drawing took, and set when the next is due."""
        if self._is_drawing:
            drawing = time.perf_counter() - self._drawn
            wait = min(max(drawing / DRAWING_SHARE, LEAST_BETWEEN), MOST_BETWEEN)
            self._due = time.perf_counter() + wait
            self._is_drawing = False

    def _work(self, budget: float) -> str | None:
        """Continue for the given seconds, or until it is finished if that is near; returns what to report then."""
        # Blender looks for each attribute of an operator among its properties first, which takes as long as a piece.
        start, steps, before = time.perf_counter(), self._steps, self._progress
        progress = before
        try:
            while (passed := time.perf_counter() - start) < budget + NEARLY_DONE:
                if passed >= budget and passed * (1.0 - progress) > NEARLY_DONE * (progress - before):
                    break
                progress = next(steps) or progress
        except StopIteration as stop:
            outcome: str = stop.value
            return outcome
        finally:
            self._progress = progress
        self._pause_time = time.perf_counter()
        return None

    def _end_modal(self, context: Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _show_status(self, context: Context) -> None:
        label, progress = self._label, self._progress
        text = f"{100 * progress:.0f} %{_time_left(self.seconds(), progress)}"

        # Blender accepts only a plain function, not a method.
        def draw(header, _context) -> None:
            header.layout.label(text=label, icon="ACTION")
            header.layout.progress(factor=progress, type="BAR", text=text)
            header.layout.label(text="Cancel", icon="EVENT_ESC")

        if bpy.app.timers.is_registered(_stop_telling):
            bpy.app.timers.unregister(_stop_telling)
        context.workspace.status_text_set(draw)
        context.window_manager.progress_update(int(100 * progress))
        self._drawn, self._is_drawing = time.perf_counter(), True


def _tell(context: Context, text: str) -> None:
    """Show a text in the status bar for a while, in red as it is easily overlooked there."""

    def draw(header, _context) -> None:
        header.layout.alert = True
        header.layout.label(text=text, icon="CANCEL", translate=False)

    context.workspace.status_text_set(draw)
    bpy.app.timers.register(_stop_telling, first_interval=TOLD)


def _stop_telling() -> None:
    bpy.context.workspace.status_text_set(None)


def _time_left(passed: float, progress: float) -> str:
    """An estimate of the time left, after what was done in the seconds that have passed; empty for a short work."""
    if passed < ESTIMATED or progress <= 0.0:
        return ""
    remaining = passed * (1.0 - progress) / progress
    return f", about {remaining:.0f} s left" if remaining < 100.0 else f", about {remaining / 60.0:.0f} min left"
