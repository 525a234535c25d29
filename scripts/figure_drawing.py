"""Draws the run of a figure in the style of the paper: trajectories, vehicles along them, and their surroundings."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Circle, Polygon

from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.simulation.geometry.flows import flow_at
from steering_addon.simulation.geometry.regions import SPHERE
from steering_addon.simulation.geometry.shapes import BOX
from steering_addon.simulation.ways.footprints import box_outline

from .figure import FPS, Figure, Run

COLOURS = ("#1f5fa8", "#c2571a", "#2e7d4f", "#7b4aa0")
GREY, PALE, INK = "#9aa3ab", "#e3e7ea", "#30363b"
WIDTH = 7.2
"""Inches."""
MARGIN = 1.2
"""Metres around the contents of a picture."""
FOOT = 0.035
"""Height of the strip at the bottom for the scale, as a share of the picture's width."""
GLYPH = 1.0 / 45.0
"""Minimum length of a drawn vehicle, as a share of the picture's width."""

mpl.rcParams["svg.fonttype"] = "none"
# A fixed salt, so that the same picture has the same bytes.
mpl.rcParams["svg.hashsalt"] = "steering"


def draw(figure: Figure, run: Run, path: Path) -> None:
    """Save the drawing of a figure's run, in the format of the path's suffix."""
    comparison = Run.of(figure.without, figure.seconds) if figure.without is not None else None
    canvas = Canvas(figsize=(WIDTH, WIDTH))
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    picture = Picture(axes, figure, run)
    picture.world()
    if comparison is not None:
        picture.ways(comparison, ":", 1.4)
    picture.ways(run, "-", 1.6)
    picture.vehicles()
    height = picture.framed(comparison)
    canvas.set_size_inches(WIDTH, WIDTH * height)
    picture.scale()
    canvas.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)


class Picture:
    """The drawing of a run on a pair of axes."""

    def __init__(self, axes: Axes, figure: Figure, run: Run) -> None:
        self.axes, self.figure, self.run = axes, figure, run
        places = [run.position.reshape(-1, 3), run.bodies.reshape(-1, 3)]
        self.extent = float(np.ptp(np.concatenate(places)[:, :2], axis=0).max())
        axes.set_aspect("equal")
        axes.axis("off")

    def colour(self, row: int) -> str:
        groups = self.figure.groups
        if not groups:
            return COLOURS[0]
        return next(COLOURS[number] for number, rows in enumerate(groups) if row in rows)

    def world(self) -> None:
        """Draw regions, paths, flows, obstacles and bodies."""
        scene = self.run.scene
        for centre, half, shape in zip(scene.regions.centre, scene.regions.half, scene.regions.shape):
            self._region(centre[:2], half[:2], shape == SPHERE)
        followed = [float(b.radius.max()) for b in self._behaviors() if isinstance(b, PathFollowing)]
        band = max(followed, default=0.0)
        for curve in scene.paths:
            for line in curve:
                way = line.points[:, :2]
                if band:
                    self.axes.add_patch(Polygon(_ribbon(way, band, line.closed), color=PALE, lw=0, zorder=0.5))
                self.axes.plot(*way.T, color=GREY, lw=1.4 if band else 2.6, zorder=1)
                middle = len(way) // 2
                self._arrow(way[middle - 1], way[middle] - way[middle - 1])
        if scene.flows:
            self._flow()
        first, last = self.run.states[0].inputs.obstacles, self.run.states[-1].inputs.obstacles
        for obstacles, colour in ((first, PALE), (last, "#c9cfd4")):
            for row, (start, end, radius) in enumerate(zip(obstacles.start, obstacles.end, obstacles.radius)):
                boxed = obstacles.shape[row] == BOX
                outline = box_outline(obstacles, row) if boxed else _capsule(start[:2], end[:2], radius)
                self.axes.add_patch(Polygon(outline, fc=colour, ec=GREY, lw=1.0, zorder=1.2))
        self._bodies()

    def ways(self, run: Run, style: str, width: float) -> None:
        """Draw the trajectories of a run's vehicles."""
        for row in range(len(run.scene)):
            way = run.position[:, row, :2]
            self.axes.plot(*way.T, style, color=self.colour(row), lw=width, alpha=0.75, zorder=2, label="_way")

    def vehicles(self) -> None:
        """Draw the vehicles along their trajectories: white with a coloured edge, and filled at the end."""
        last = len(self.run.states) - 1
        step = round(self.figure.every * FPS) if self.figure.every else last
        frames = [frame for frame in range(0, last, max(step, 1)) if last - frame > step / 4] + [last]
        for frame in frames:
            place, forward = self.run.position[frame, :, :2], self.run.forward[frame, :, :2]
            for row in range(len(self.run.scene)):
                radius = float(self.run.states[0].inputs.vehicle.radius[row])
                colour = self.colour(row)
                outline = _arrowhead(place[row], forward[row], max(radius, GLYPH * self.extent))
                face = colour if frame == last else "white"
                self.axes.add_patch(Polygon(outline, fc=face, ec=colour, lw=1.0, zorder=4 if frame == last else 3))

    def framed(self, comparison: Run | None) -> float:
        """Fit the limits to the contents; the height of the picture as a share of its width."""
        self.axes.autoscale_view()
        runs = [self.run] + ([comparison] if comparison is not None else [])
        points = np.concatenate([run.position[..., :2].reshape(-1, 2) for run in runs])
        low, high = points.min(axis=0), points.max(axis=0)
        box = self.axes.dataLim
        low = np.minimum(low, (box.x0, box.y0)) - MARGIN
        high = np.maximum(high, (box.x1, box.y1)) + MARGIN
        low[1] += MARGIN / 2.0 - FOOT * (high[0] - low[0])
        self.axes.set_xlim(low[0], high[0])
        self.axes.set_ylim(low[1], high[1])
        size = high - low
        return float(size[1] / size[0])

    def scale(self) -> None:
        """Draw a bar of two or five metres."""
        (left, right), (bottom, _) = self.axes.get_xlim(), self.axes.get_ylim()
        length = 5.0 if right - left > 20.0 else 2.0
        x, y = right - length - 0.02 * (right - left), bottom + 0.012 * (right - left)
        self.axes.plot((x, x + length), (y, y), color=INK, lw=1.2, solid_capstyle="butt")
        self.axes.text(x + length / 2, y + 0.008 * (right - left), f"{length:g} m", ha="center", va="bottom", color=INK)

    def _bodies(self) -> None:
        """Draw leaders, targets and other tracked bodies: a ring at rest, a line with an arrowhead in motion."""
        for body in range(self.run.bodies.shape[1]):
            way = self.run.bodies[:, body, :2]
            if np.ptp(way, axis=0).max() > 0.1:
                self.axes.plot(*way.T, "--", color=INK, lw=1.1, zorder=1.8)
                outline = _arrowhead(way[-1], way[-1] - way[-2], max(0.5, GLYPH * self.extent))
                self.axes.add_patch(Polygon(outline, fc=INK, ec=INK, zorder=3.5))
                continue
            self.axes.add_patch(Circle(way[-1], 0.5, fc="none", ec=INK, lw=1.4, zorder=3.5))
            self.axes.plot(*way[-1], "+", color=INK, ms=9, zorder=3.5)
            if self.figure.facing:
                forward = self.run.states[-1].inputs.tracked.forward[body, :2]
                self._arrow(way[-1] + 0.5 * forward, forward, INK)

    def _arrow(self, place: np.ndarray, direction: np.ndarray, colour: str = GREY) -> None:
        outline = _arrowhead(place, direction, max(0.35, 0.7 * GLYPH * self.extent))
        self.axes.add_patch(Polygon(outline, fc=colour, ec=colour, zorder=1.6))

    def _region(self, centre: np.ndarray, half: np.ndarray, is_round: bool) -> None:
        angle = np.linspace(0.0, 2.0 * np.pi, 96)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        shape = np.stack((np.cos(angle), np.sin(angle)), axis=-1) if is_round else corners
        self.axes.add_patch(Polygon(centre + half * shape, fc="#f5f7f8", ec=GREY, lw=1.2, ls="--", zorder=0.4))

    def _flow(self) -> None:
        """Draw the flow as arrows on a grid."""
        fall = max(float(b.falloff_distance.max()) for b in self._behaviors() if isinstance(b, FlowFieldFollowing))
        lines = np.concatenate([line.points for curve in self.run.scene.flows for line in curve])
        low, high = lines.min(axis=0) - fall, lines.max(axis=0) + fall
        x, y = np.meshgrid(np.arange(low[0], high[0], 1.2), np.arange(low[1], high[1], 1.2))
        points = np.stack((x.ravel(), y.ravel(), np.zeros(x.size)), axis=-1)
        flow = flow_at(self.run.scene.flows, points, np.full(len(points), fall))
        visible = np.linalg.norm(flow, axis=-1) > 0.02
        arrows = {"color": GREY, "angles": "xy", "scale_units": "xy", "scale": 1.1, "width": 0.0022, "zorder": 0.8}
        self.axes.quiver(*points[visible, :2].T, *flow[visible, :2].T, **arrows)

    def _behaviors(self) -> tuple:
        """The behaviors of the run's crowd."""
        return self.run.states[0].inputs.settings[0].behaviors


def _arrowhead(place: np.ndarray, forward: np.ndarray, radius: float) -> np.ndarray:
    """The outline of a vehicle as in the paper: a triangle that points ahead."""
    size = np.linalg.norm(forward)
    forward = forward / size if size > 0.0 else np.array((0.0, 1.0))
    side = np.array((forward[1], -forward[0]))
    corners = ((1.5, 0.0), (-1.0, 0.8), (-1.0, -0.8))
    return np.array([place + radius * (ahead * forward + aside * side) for ahead, aside in corners])


def _capsule(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """The outline of a capsule between two points."""
    angle = np.linspace(-np.pi / 2.0, np.pi / 2.0, 32)
    axis = end - start
    turn = np.arctan2(axis[1], axis[0]) if np.linalg.norm(axis) > 0.0 else 0.0
    cap = np.stack((np.cos(angle + turn), np.sin(angle + turn)), axis=-1) * radius
    return np.concatenate((end + cap, start - cap))


def _ribbon(way: np.ndarray, radius: float, closed: bool) -> np.ndarray:
    """The outline of a band of this radius around a line."""
    along = np.gradient(way, axis=0)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    side = np.stack((along[:, 1], -along[:, 0]), axis=-1) * radius
    edges = (way + side, way - side)
    if closed:
        edges = tuple(np.concatenate((edge, edge[:1])) for edge in edges)
    return np.concatenate((edges[0], edges[1][::-1]))
