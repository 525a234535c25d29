"""Reads the clips of rigged models: where their lowest points are at each phase of an action. Changes nothing."""
