"""Marks: where vehicles are to be at a time, as actors have marks to meet."""
