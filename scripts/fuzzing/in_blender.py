"""The program that tries seeds in Blender and prints a line of JSON for each step and result.

PYTHON -m scripts.fuzzing.in_blender SECONDS SCRATCH SEED[,LEFT OUT...] ...
"""

import faulthandler
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import bpy

from scripts.blender_process import leave

from . import laws
from .extension import enable
from .odd_objects import make_library
from .steps import STEPS
from .trial import Output, Trial

FOLDERS = ("HOME", "BLENDER_USER_RESOURCES")


def main() -> int:
    seconds, scratch = float(sys.argv[1]), Path(sys.argv[2])
    output = Output(scratch / "output.txt")
    stack = (scratch / "stack.txt").open("w")
    faulthandler.enable(stack)
    # Chained to the default action: it writes the stack, then ends the program.
    faulthandler.register(signal.SIGPROF, stack, chain=True)
    enable()
    # Undo keeps copies of the file in memory; a few are enough.
    bpy.context.preferences.edit.undo_steps = 4
    library = scratch / f"library{os.getpid()}.blend"
    make_library(library)
    folders = [Path.cwd(), *(Path(os.environ[name]) for name in FOLDERS)]
    for text in sys.argv[3:]:
        seed, *left_out = text.split(",")

        def tell(**line: object) -> None:
            os.write(output.terminal, (json.dumps(line) + "\n").encode())

        def did(step: str) -> None:
            # A seed may have many slow steps. Seconds of the processor, as other programs may keep it busy.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            tell(step=step)

        tell(seed=int(seed))
        start = time.perf_counter()
        trial = Trial(int(seed), STEPS, output, library, scratch, did, left_out)
        try:
            trial.run()
        except Exception as error:
            trial.breaks("the trial itself runs", "".join(traceback.format_exception(error))[-1500:])
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        trial.breaks("no stray files", ", ".join(laws.stray_files(folders)))
        tell(end=time.perf_counter() - start, broken=trial.broken, counts=trial.counts)
    return 0


if __name__ == "__main__":
    leave(main)
