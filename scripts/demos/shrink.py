"""Saves a reduced copy of a picture: `shrink.py LARGE.png SMALL.jpg`."""

import os
import sys

import bpy

WIDTH = 1200
QUALITY = 85

large, small = sys.argv[1:]
image, scene = bpy.data.images.load(large), bpy.context.scene
image.scale(WIDTH, round(image.size[1] * WIDTH / image.size[0]))
scene.render.image_settings.file_format = "JPEG"
scene.render.image_settings.quality = QUALITY
scene.view_settings.view_transform = "Standard"
image.save_render(small, scene=scene)
sys.stdout.flush()
os._exit(0)  # The usual exit of Blender's module may crash or hang.
