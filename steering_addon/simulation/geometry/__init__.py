"""Shapes in space: obstacles, meshes, paths, regions and flows, and the questions asked of them."""
