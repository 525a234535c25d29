"""What stands in the station hall, in metres for people of a usual height: a bench and the board."""

import bpy

from steering_addon.blender.crowds.ready_scenes.station_hall import BOARD_HALF, SPOTS

from .shape import Paints, Shape

COLORS = {
    "floor": "#cdc5b4",
    "walls": "#9a8f80",
    "tunnel": "#4c4a50",
    "frame": "#33383f",
    "board": "#171b22",
    "letters": "#f2b632",
    "sign": "#2b6ea3",
    "wood": "#8a5a33",
}
BUILT = ("floor", "walls", "tunnel", "sign")
"""The paints of what is built for each hall."""
BOARD_LOW, BOARD_HIGH = 2.2, 3.7
"""The heights of the edges of the board."""
LINES = 7
"""Lines of letters on the board."""
BENCH_HALF, BENCH_DEPTH, SEAT, BACK = 0.9, 0.22, 0.45, 0.85
"""Half the length and the depth of a bench, and the heights of its seat and its back."""


def station() -> list[bpy.types.Object]:
    """The bench and the board, and the materials of what is built for each hall."""
    paints = Paints("Station", COLORS)
    for paint in BUILT:
        paints.material(paint)
    made = (("Station Bench", _bench()), ("Station Board", _board()))
    return [bpy.data.objects.new(name, shape.mesh(name, paints, 1.0)) for name, shape in made]


def _bench() -> Shape:
    """A bench that looks into the hall, with its back to the wall."""
    shape, (x, y) = Shape(), (BENCH_HALF, BENCH_DEPTH)
    for side in (-1.0, 1.0):
        middle = side * (x - 0.15)
        shape.box((middle - 0.05, 0.05 - y, 0.0), (middle + 0.05, y, SEAT - 0.05), "frame")
    shape.box((-x, -y, SEAT - 0.05), (x, y, SEAT), "wood")
    shape.box((-x, y - 0.05, SEAT + 0.1), (x, y, BACK), "wood")
    return shape


def _board() -> Shape:
    """The board on two posts, which faces the hall; the origin is below its middle."""
    shape = Shape()
    for x in (-BOARD_HALF + 0.2, BOARD_HALF - 0.2):
        shape.box((x - 0.06, 0.05, 0.0), (x + 0.06, 0.17, BOARD_HIGH), "frame")
    shape.box((-BOARD_HALF, -0.06, BOARD_LOW), (BOARD_HALF, 0.05, BOARD_HIGH), "board")
    step, wide = (BOARD_HIGH - BOARD_LOW - 0.2) / LINES, 2.0 * BOARD_HALF / SPOTS
    for line in range(LINES * SPOTS):
        top, column = BOARD_HIGH - 0.1 - line % LINES * step, line // LINES * wide - BOARD_HALF
        for left, right in ((0.05, 0.2), (0.25, 0.6 + 0.07 * (line * 5 % 4)), (0.87, 0.95)):
            corners = [(left, top - 0.65 * step), (right, top - 0.65 * step), (right, top), (left, top)]
            shape.face([(column + wide * u, -0.065, v) for u, v in corners], "letters")
    return shape
