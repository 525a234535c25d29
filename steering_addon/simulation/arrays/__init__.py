"""Columns of numbers and vectors: the few operations everything else is written in."""
