"""Shapes in space: obstacles, meshes, paths, regions and flows, and queries about them."""
