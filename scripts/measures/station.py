"""The ready Station Hall: who reads the board, how they leave, and whether they touch.

Read is the share that stands within 2 m of the board and faces it within 15 degrees for 2 s or more, most the longest
of these stands, away how far one is from the board. Pauses are shorter stands of a second or more; aside is the longest
stand there of someone who looks elsewhere. The rest are people by exit, overlaps, and jolts from frame to frame.
"""

from pathlib import Path

IN_BLENDER = True
CASES = ("0", "1", "2", "3", "4")
FRAMES, PEOPLE = 1200, 80
BANDS = {
    "read": (0.25, 0.35),
    "most, s": (2.0, 6.0),
    "away, m": (0.0, 2.0),
    "pauses": (0, 6),
    "aside, s": (0.0, 4.0),
    "elsewhere, s": (0.0, 6.0),
    "exit, least": (6, 80),
    "left inside": (0, 16),
    "overlap, m": (0.0, 0.01),
    "in wall, m": (0.0, 0.03),
    "change, m/s2": (0.0, 15.0),
    "turn, deg": (0.0, 10.0),
}


def figures(case: str, folder: Path) -> dict[str, float]:
    from scripts.station_report import measured

    return measured(int(case), PEOPLE, FRAMES, folder / f"station_{case}.blend")
