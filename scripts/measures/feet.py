"""Rigged characters on courses: how far their feet slide, float and hang, from what Blender evaluates.

A case is a file with a model and a course; or a baked file, of which all armatures are measured. `poles`, `rigify`,
`rigify_full` and `rigify_horse` are models that are made, with constraints on their legs. Centimetres are those of the
95th percentile of stances: of the path of a sole on the ground, of its way from where it is put down to where it
leaves, of its height. Shares are of frames: on which a body creeps, stands with a raised foot, or with one that hangs
in the air. `feet_scenes.py` says what the courses are, and `slide_metrics.py` what a stance is.
"""

from pathlib import Path

IN_BLENDER = True
MODELS = Path(__file__).parents[1] / "demos" / "characters"
COURSES = ("wander", "starts", "slope")
CASES = tuple(f"{file} {course}" for file in (MODELS / "Cow.glb", MODELS / "Horse.glb", "poles") for course in COURSES)
BANDS = {
    "path, cm": (0.0, 2.0),
    "net, cm": (0.0, 1.5),
    "height, cm": (0.0, 1.5),
    "creeping, %": (0.0, 1.0),
    "raised, %": (0.0, 1.0),
    "hanging, %": (0.0, 0.5),
}


def figures(case: str, folder: Path) -> dict[str, float]:
    import numpy as np

    from scripts import control_rig_files, feet_scenes, slide_report

    model, _, course = case.partition(" ")
    file = control_rig_files.make(model, folder) if model in control_rig_files.MAKE else Path(model)
    if course:
        made = folder / f"{file.stem}_{course}.blend"
        feet_scenes.bake(file, course, made)
    slides = slide_report.slides_in(made if course else file, "Bed" if course == "lorry" else "")
    spreads = {"path, cm": slides.paths, "net, cm": slides.nets, "height, cm": np.abs(slides.vertical)}
    shares = {"creeping, %": slides.creeping, "raised, %": slides.raised, "hanging, %": slides.hanging}
    told = {name: 100.0 * np.percentile(values, 95) for name, values in spreads.items() if len(values)}
    return told | {name: 100.0 * count / max(slides.frames, 1) for name, count in shares.items()}
