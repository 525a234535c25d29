"""Each Blender, with the numpy it brings along, gives the bytes that all others give."""

from tests.simulation.same_bytes import STORED, digest


def test_this_blender_gives_the_same_bytes() -> None:
    assert [digest()] == STORED.read_text(encoding="ascii").split()
