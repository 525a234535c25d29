"""The frame rate of a scene."""

from bpy.types import Scene


def frame_time_of(scene: Scene) -> float:
    """The seconds from one frame to the next."""
    return scene.render.fps_base / scene.render.fps


def copy_frame_rate(source: Scene, target: Scene) -> None:
    """Give a scene the frame rate of another."""
    target.render.fps, target.render.fps_base = source.render.fps, source.render.fps_base
