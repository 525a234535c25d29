"""Odd scenes and random operators, and the laws that hold whatever an animator does: the parts of scripts/fuzz."""
