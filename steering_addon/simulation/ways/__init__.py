"""Planned ways on the ground past everything that stands between an agent and its goal."""
