"""The measures of scripts/measure, a file each, which numpy suffices to import. It says

- IN_BLENDER: whether it runs in Blender, in an empty file with the extension, or without;
- CASES: what is measured by default, each in a process of its own: seeds, scenes, files;
- BANDS: the least and the greatest value of each figure;
- `figures(case, folder)`: the figures of a case by name. Baked scenes may be saved in the folder. `low of this` and
  `low of that` are in the band of `low`.
"""
