"""Parts of motion that several behaviors share: prediction, braking, pace."""
