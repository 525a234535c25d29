"""The first path of a new user: own models, tagged by the button, follow a curve with boxes on it to its end."""

import bpy
import numpy as np
import pytest

from tests.blender.building import frames, link
from tests.blender.drawing import texts, up_to_date
from tests.blender.seen import places
from tests.blender.steered import bake, press, select
from tests.sampling import sampled

BEND = ((-14.0, 6.0, 1.0), (8.0, 14.0, 2.0), (26.0, -2.0, 1.0), (48.0, 6.0, 2.0))
"""Points of the curve, metres; the vehicles start beside the first."""


def suzannes(number: int) -> list:
    """Blender's own monkeys, beside the start of the curve."""
    made = []
    for k in range(number):
        bpy.ops.mesh.primitive_monkey_add(location=(-17.0 - 3.5 * (k % 5), 3.0 + 3.5 * (k // 5), 1.0))
        made.append(bpy.context.object)
    return made


def bezier():
    """A Bezier curve of about 70 m with the role of a path."""
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    line = data.splines.new("BEZIER")
    line.bezier_points.add(len(BEND) - 1)
    for point, at in zip(line.bezier_points, BEND, strict=True):
        point.co = at
        point.handle_left_type = point.handle_right_type = "AUTO"
    way = link(bpy.data.objects.new("Way", data))
    press("tag", way, role="PATH")
    return way


def tagged(models: list, like: str):
    """The models as vehicles that move like something; returns their crowd."""
    press("tag", *models, role="VEHICLE", moves_like=like)
    return models[0].steering.crowd


def add(crowd, *behaviors: str) -> None:
    select(crowd)
    for behavior in behaviors:
        assert bpy.ops.steering.behavior_add(behavior=behavior) == {"FINISHED"}


FRAMES_PAST_THEIR_REGION = {"CAR": 85}
"""Frames in which vehicles that are faster than sheep have left their region behind."""


@sampled
@pytest.mark.parametrize("like", ["CAR", "FISH", "ANIMAL", "PERSON", "ANYTHING"])
def test_the_region_made_on_tagging_holds_no_crowd_back_from_its_path(like: str) -> None:
    last = FRAMES_PAST_THEIR_REGION.get(like, 340)
    frames(1, last, fps=12)
    models = suzannes(2)
    crowd = tagged(models, like)
    (region,) = (ob for ob in bpy.data.objects if ob.is_property_set("steering") and "REGION" in ob.steering.roles)
    region.empty_display_size = min(region.empty_display_size, 5.0)
    way = bezier()
    for point, at in zip(way.data.splines[0].bezier_points, BEND, strict=True):
        point.co = (at[0], at[1], 1.0)
    add(crowd, "path_following")
    crowd.steering.path_following.end = "STOP"
    crowd.steering.path_following.direction = "FORWARD"
    bake()
    path = np.array([places(ob, range(1, last + 1, 10)) for ob in models])
    away = np.linalg.norm(path - np.array(region.location), axis=-1).max(axis=1)
    assert (away > region.empty_display_size + 3.0).all()


def test_what_hovers_where_its_path_leads_into_a_wall_is_named_as_stuck_with_frames_and_remedy(capfd) -> None:
    """A bird with a least speed does not hover: it flies along the wall, in search of its end."""
    frames(1, 125, fps=12)
    models = suzannes(1)
    crowd = tagged(models, "BIRD")
    crowd.steering.locomotion = "SIMPLE_VEHICLE"
    bezier()
    bpy.ops.mesh.primitive_cube_add(size=400.0, location=(BEND[-1][0] + 190.0, 0.0, 0.0))
    box = bpy.context.object
    press("tag", box, role="OBSTACLE")
    box.steering.obstacle_shape = "BOX"
    add(crowd, "path_following", "obstacle_avoidance")
    crowd.steering.path_following.end = "STOP"
    bake()
    said = capfd.readouterr().out
    assert "Warning: Suzanne got stuck at an obstacle, frames " in said
    assert "Move the obstacle" in said
    assert bpy.ops.steering.select_contacts(kind="STUCK") == {"FINISHED"}
    assert bpy.context.selected_objects == models
    assert "; stuck from frame " in capfd.readouterr().out
    told = said[said.index("Suzanne got stuck") : said.index("Info: Baked")].strip()
    assert told in texts(up_to_date("STEERING_PT_findings")), "the report is gone at the next click"
