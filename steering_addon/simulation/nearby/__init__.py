"""Neighbors, groups and contacts: relations between bodies that are near each other."""
