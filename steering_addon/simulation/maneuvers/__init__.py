"""Maneuvers that several behaviors share: prediction, braking, pace."""
