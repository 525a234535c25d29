"""Crowds, vehicles and other roles, made with the public operators as in an animator's script, and bakes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from tests.blender.building import empty, meshed, path_curve, points_mesh, sphere, wedge
from tests.blender.seen import stored_names


def select(*objects) -> None:
    """Select only these objects and make the first one active."""
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def press(operator: str, *selected, **settings):
    """Carry out an operator of the extension on objects, with only these selected and the first one active; returns the
    one that is active then."""
    select(*selected)
    assert getattr(bpy.ops.steering, operator)(**settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def tag(*objects, role: str, moves_like: str = "UNCHANGED"):
    """Tag objects with the operator and return the first of them. By default their crowd gets no behaviors."""
    press("tag", *objects, role=role, moves_like=moves_like)
    return objects[0]


def obstacle(ob=None, **made):
    return tag(ob or sphere(**made), role="OBSTACLE")


def points(ob=None, *, crowd=None, name: str = "Points", position=((0.0, 0.0, 0.0),), **attributes):
    """An object whose points are vehicles of the crowd, by default the scene's default crowd."""
    ob = ob or points_mesh(name, position, **attributes)
    press("tag", ob, *([crowd] if crowd else []), role="POINTS", moves_like="UNCHANGED")
    return ob


def leader(ob=None, **made):
    return tag(ob or empty(**{"name": "Leader", **made}), role="LEADER")


def stairs(steps: int = 12, rise: float = 0.17, tread: float = 0.3, half: float = 10.0):
    """A surface that is level up to y = 0, climbs along y, and is level from there."""
    profile = [(-half, 0.0)]
    for step in range(steps):
        profile += [(tread * step, rise * step), (tread * step, rise * (step + 1))]
    profile.append((half + tread * steps, rise * steps))
    points = [(x, y, z) for y, z in profile for x in (-half, half)]
    faces = [(a, a + 1, a + 3, a + 2) for a in range(0, len(points) - 2, 2)]
    return tag(meshed("Stairs", points, faces), role="SURFACE")


def road(ob=None, **made):
    return tag(ob or path_curve(**made), role="PATH")


def crowd(name: str = "Crowd", **behaviors: dict[str, Any]):
    """A crowd with these behaviors: `crowd(seek={"target": ob}, wander={})`."""
    assert bpy.ops.steering.crowd_add() == {"FINISHED"}
    ob = bpy.context.view_layer.objects.active
    ob.name = name
    use(ob, **behaviors)
    return ob


def use(crowd_object, **behaviors: dict[str, Any]) -> None:
    """Give a crowd behaviors with these parameters."""
    for behavior, values in behaviors.items():
        group = getattr(crowd_object.steering, behavior)
        group.use = True
        for name, value in values.items():
            setattr(group, name, value)


def vehicle(ob=None, *, crowd=None, identity: int | None = None, start_speed: float | None = None, **made):
    """An object tagged as a vehicle of the crowd, by default the scene's default crowd."""
    ob = ob or wedge(**made)
    press("tag", ob, *([crowd] if crowd else []), role="VEHICLE", moves_like="UNCHANGED")
    if identity is not None:
        ob.steering.identity = identity
    if start_speed is not None:
        ob.steering.start_speed = start_speed
    return ob


def fleet(number: int, *, crowd=None, spacing: float = 3.0) -> list:
    """Vehicles in a row along X, with the identities 1001, 1002 and so on."""
    return [
        vehicle(name=f"Ship {k}", location=(spacing * k, 0.0, 0.0), crowd=crowd, identity=1001 + k)
        for k in range(number)
    ]


def bake(*selected, **settings) -> None:
    """Bake, with keys on every frame unless the scene has been told otherwise: tests compare places digit by digit; of
    objects, with only these selected, if any are given."""
    if selected:
        select(*selected)
    with keys_on_every_frame(bpy.context.scene):
        assert bpy.ops.steering.bake(**settings) == {"FINISHED"}


@contextmanager
def keys_on_every_frame(scene) -> Iterator[None]:
    """Write keys on every frame, unless the scene has been told otherwise, until the end."""
    had_settings, told = scene.is_property_set("steering"), scene.steering.is_property_set("keying")
    if told:
        yield
        return
    scene.steering.keying = "EVERY_FRAME"
    try:
        yield
    finally:
        scene.steering.property_unset("keying")
        if not had_settings and not stored_names(scene.steering):
            scene.property_unset("steering")


def clear_bake(*selected, **settings) -> None:
    if selected:
        select(*selected)
    assert bpy.ops.steering.clear_bake(**settings) == {"FINISHED"}
