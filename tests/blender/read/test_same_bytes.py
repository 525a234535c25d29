"""Each Blender, with the numpy that it comes with, gives the same bytes as all others."""

from tests.simulation.same_bytes import changed, hashes


def test_this_blender_gives_the_same_bytes() -> None:
    assert changed(hashes()) == []
