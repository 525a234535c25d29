"""Columns of numbers and vectors: the few operations that the rest of the code is written in."""
