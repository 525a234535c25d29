from .steering_addon import register, unregister
