"""Feet: how they are found in clips, where they are held on the ground, and how legs reach there."""
