"""Saves a reduced copy of a picture: `shrink.py LARGE.png SMALL.jpg`."""

import os
import sys

import bpy

WIDTH = 1200
QUALITY = 85


def main(large: str, small: str) -> None:
    image = bpy.data.images.load(large)
    width, height = image.size
    image.scale(WIDTH, round(height * WIDTH / width))
    scene = bpy.context.scene
    scene.render.image_settings.file_format = "JPEG"
    scene.render.image_settings.quality = QUALITY
    scene.view_settings.view_transform = "Standard"
    image.save_render(small, scene=scene)


main(*sys.argv[1:])
sys.stdout.flush()
os._exit(0)  # The usual exit of Blender's module may crash or hang.
