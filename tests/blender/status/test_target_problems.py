"""A target that is missing, outside the scene or of the wrong kind gets a word in the panel and at the bake."""

import bpy
import pytest

from tests.blender.animated import insert, is_baked
from tests.blender.building import empty, frames, part, path_curve, wedge
from tests.blender.seen import flight
from tests.blender.steered import bake, crowd, leader, press, tag, use, vehicle


def said(crowd_object, behavior: str) -> str:
    """What the panel says of a behavior of a crowd."""
    census = part("blender.status.census").count(bpy.context.scene)
    kind = next(kind for kind in part("behaviors").CATALOGUE if kind.name == behavior)
    return part("blender.status.inactivity").why_idle(kind, crowd_object, census)


def sailing(**behaviors):
    """The crowd Fleet of one vehicle."""
    frames(1, 3)
    ships = crowd("Fleet", **behaviors)
    vehicle(crowd=ships)
    bpy.context.view_layer.update()
    return ships


def aside():
    """A new collection that the view layer excludes, as it has it."""
    bpy.context.scene.collection.children.link(bpy.data.collections.new("Away"))
    away = bpy.context.view_layer.layer_collection.children["Away"]
    away.exclude = True
    return away


def test_targets_in_order_get_no_word(capfd) -> None:
    target = empty("Target", (0.0, 9.0, 0.0))
    ships = sailing(seek={"target": target}, path_following={"path": path_curve()})
    assert said(ships, "seek") == said(ships, "path_following") == ""
    bake()
    assert "Warning" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("excluded", "why"),
    [
        (False, "is no longer in the scene. Choose another object"),
        (True, "is in no view layer of this scene. Enable its collection in the Outliner, or choose another object"),
        (None, "is in another scene, Other. Link it to this one, or choose another object"),
    ],
)
def test_a_target_outside_the_scene_is_told_before_the_bake_refuses_it(excluded: bool | None, why: str) -> None:
    target, away = empty("Target"), aside()
    ships = sailing(seek={"target": target})
    bpy.context.scene.collection.objects.unlink(target)
    if excluded:
        away.collection.objects.link(target)
    elif excluded is None:
        bpy.data.scenes.new("Other").collection.objects.link(target)
    bpy.context.view_layer.update()
    assert said(ships, "seek") == f"Target {why}"
    with pytest.raises(RuntimeError, match=rf"Target, the Target of Go To in Fleet, {why}\."):
        bake()
    away.exclude = False
    if excluded is None:
        bpy.context.scene.collection.objects.link(target)
        bpy.context.view_layer.update()
    assert excluded is False or (said(ships, "seek") == "" and bake() is None)


@pytest.mark.parametrize("behavior", ["seek", "path_following", "wander"])
def test_what_is_in_an_excluded_collection_is_told_with_the_remedy_that_mends_it(behavior: str) -> None:
    """A leader, a path, or the vehicles themselves."""
    ships, away = sailing(**{behavior: {}}), aside()
    tag(path_curve("Goal"), role="PATH") if behavior == "path_following" else leader(name="Goal")
    bpy.ops.object.select_all(action="DESELECT")
    left_out = bpy.data.objects["Ship" if behavior == "wander" else "Goal"]
    for holder in left_out.users_collection:
        holder.objects.unlink(left_out)
    away.collection.objects.link(left_out)
    bpy.context.view_layer.update()
    census, inactivity = part("blender.status.census"), part("blender.status.inactivity")
    still = inactivity.why_still(ships, census.count(bpy.context.scene))
    if behavior == "wander":
        assert still == "All its vehicles are in no view layer of this scene: enable their collection in the Outliner"
    else:
        assert "enable the collection of Goal in the Outliner" in still
    away.exclude = False
    assert inactivity.why_still(ships, census.count(bpy.context.scene)) == ""


def test_an_object_that_is_not_a_crowd_is_told_before_the_bake_refuses_it() -> None:
    ships = sailing(separation={"neighbors": "CHOSEN_CROWD", "crowd": wedge("Rock")})
    assert said(ships, "separation") == "Rock is not a crowd: choose one"
    with pytest.raises(RuntimeError, match=r"Rock, the Crowd of .* in Fleet, is not a crowd"):
        bake()


def test_neighbors_of_a_chosen_crowd_that_was_not_chosen_are_told(capfd) -> None:
    ships = sailing(separation={"neighbors": "CHOSEN_CROWD"}, cohesion={"neighbors": "OWN_CROWD"})
    assert said(ships, "separation") == "It waits for a Crowd: choose one"
    assert said(ships, "cohesion") == ""
    bake()
    assert "of Fleet has no effect. It waits for a Crowd" in capfd.readouterr().out


def test_a_leader_that_never_takes_part_is_told_as_a_missing_one(capfd) -> None:
    sailing(seek={})
    guide = leader(location=(0.0, 9.0, 0.0))
    guide.steering.active = False
    bake()
    told = "Go To of Fleet has no effect. It waits for a Leader: turn on Takes Part of Leader, or choose its Target"
    assert told in capfd.readouterr().out
    insert(guide, "steering.active", {1: False, 2: True})
    bake()
    assert "has no effect" not in capfd.readouterr().out


@pytest.mark.parametrize("in_state", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("behavior", ["seek", "path_following"])
def test_the_remedy_for_a_target_that_takes_no_part_mends_it(capfd, in_state, chosen, behavior) -> None:
    """Whether it is chosen or the nearest, for a crowd and for a state; nothing is awaited by a state whose target is
    whatever called."""
    frames(1, 3)
    ships = sailing(wander={})
    target = tag(path_curve("Goal"), role="PATH") if behavior == "path_following" else leader(name="Goal")
    holder = press("state_add", ships, preset="") if in_state else ships
    use(holder, **{behavior: {"own": True} if in_state else {}})
    if chosen:
        setattr(getattr(holder.steering, behavior), "target" if behavior == "seek" else "path", target)
    target.steering.active = False
    bake()
    told = f"{holder.name} has no effect. " in capfd.readouterr().out
    assert told == bool(said(holder, behavior)) == (chosen or not (in_state and behavior == "seek"))
    assert not told or "turn on" in said(holder, behavior)
    target.steering.active = True
    bake()
    assert "has no effect" not in capfd.readouterr().out and not said(holder, behavior)


def test_a_path_is_not_followed_on_frames_on_which_it_takes_no_part() -> None:
    way = tag(path_curve("Way", ((0.0, 0.0, 0.0), (9.0, 0.5, 0.0))), role="PATH")
    ships = sailing(path_following={})
    frames(1, 12)
    insert(way, "steering.active", {1: False, 6: True})
    assert said(ships, "path_following").startswith("It waits for a Path")
    side = flight()[1][:, 0, 0]
    assert (side[:6] == 0.0).all() and side[-1] > 0.0


def test_a_path_that_is_not_a_curve_is_told_before_the_bake_refuses_it() -> None:
    ships = sailing(path_following={"path": wedge("Rock")})
    assert said(ships, "path_following") == "Rock is not a curve: choose one"


@pytest.mark.parametrize("in_state", [False, True])
def test_food_that_is_not_a_resource_is_told_after_the_bake(capfd, in_state) -> None:
    food = wedge("Rock", (0.0, 2.0, 0.0))
    ships = sailing()
    holder = press("state_add", ships, preset="") if in_state else ships
    use(holder, forage={"resource": food, **({"own": True} if in_state else {})})
    bake()
    told = capfd.readouterr().out
    assert "Rock, the " in told and "is not tagged as a resource, so it never runs out" in told
    tag(food, role="RESOURCE")
    bake()
    assert "never runs out" not in capfd.readouterr().out
    assert is_baked(bpy.data.objects["Ship"])
