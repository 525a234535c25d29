"""Filling a crowd with members, and again when their count or places are to change."""
