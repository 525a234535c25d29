"""Which agent of a crowd cache is under the pointer."""

import numpy as np
import pytest

from tests.blender.building import part


class Region:
    """A region of 200 by 100 pixels."""

    width, height = 200, 100


class View:
    """A view along -Z: what is 1 away is one pixel long for each hundredth."""

    perspective_matrix = np.array([[0.5, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, -1.0, 0]])
    window_matrix = np.array([[0.5, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, -1.0, 0]])


AGENTS = {
    7: (0.0, 0.0, -2.0),
    8: (0.3, 0.0, -4.0),
    9: (1.5, 0.5, -2.0),
    5: (0.0, 0.0, 2.0),
}
"""Where agents are, by row: 8 is behind 7 and to the right of it, 5 behind the viewer."""


@pytest.mark.parametrize(
    ("pointer", "row"), [((100, 50), 7), ((113, 50), 7), ((137, 62), 9), ((175, 20), -1), ((0, 0), -1)]
)
def test_the_agent_in_front_under_the_pointer_is_chosen(pointer, row) -> None:
    view = part("blender.overlay.agents_in_view")
    middles, radii = np.array(list(AGENTS.values())), np.full(len(AGENTS), 0.4)
    # Depth grows away from the viewer.
    place, _, size = view.in_pixels(middles, radii, Region, View)
    depth = np.where(middles[:, 2] < 0.0, -middles[:, 2], np.inf)
    assert view.nearest(np.array(list(AGENTS)), place, depth, size, np.array(pointer)) == row


def test_what_is_behind_the_viewer_is_not_seen() -> None:
    view = part("blender.overlay.agents_in_view")
    middles = np.array(list(AGENTS.values()))
    _, depth, size = view.in_pixels(middles, np.full(len(middles), 0.4), Region, View)
    assert [np.isfinite(each) for each in depth] == [z < 0.0 for _, _, z in AGENTS.values()]
    np.testing.assert_allclose(size[:2], [10.0, 5.0])
