"""Identities come from a seed and the order in which they are given: the same steps give the same motion again."""

import bpy
import pytest

from tests.blender.building import frames, wedge
from tests.blender.steered import bake, crowd, fleet, press, tag
from tests.sampling import sampled


def identities() -> dict[str, int]:
    """The identity of each vehicle and each crowd by name."""
    objects = [ob for ob in bpy.context.scene.objects if ob.is_property_set("steering")]
    given = {ob.name: ob.steering.identity for ob in objects if ob.steering.roles & {"VEHICLE", "CROWD"}}
    assert 0 not in given.values()
    return given


def tag_ships() -> None:
    """Tag in reverse order of names, as files opened again list objects in another order."""
    tag(*(wedge(f"Ship {k}") for k in (3, 1, 2)), role="VEHICLE")


def populate(**settings) -> None:
    press("populate", wedge("Fish"), **{"count": 4, "seed": 5, "moves_like": "UNCHANGED", **settings})


def assign_to_a_new_crowd() -> None:
    fleet(2, crowd=crowd("First"))
    assert bpy.ops.steering.crowd_assign() == {"FINISHED"}


def add_a_flock(**settings) -> None:
    assert bpy.ops.steering.add_flock(**{"count": 3, "seed": 4, **settings}) == {"FINISHED"}


def add_two_flocks() -> None:
    add_a_flock()
    add_a_flock()


def add_a_herd_and_wolf() -> None:
    assert bpy.ops.steering.add_herd_and_wolf(count=3, seed=4) == {"FINISHED"}


STEPS = (tag_ships, populate, assign_to_a_new_crowd, add_two_flocks, add_a_herd_and_wolf)


def in_a_new_file(steps, **settings) -> dict[str, int]:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    steps(**settings)
    return identities()


@sampled
@pytest.mark.parametrize("steps", STEPS)
def test_the_same_steps_in_another_file_give_the_same_identities_no_two_alike(steps) -> None:
    given = in_a_new_file(steps)
    assert in_a_new_file(steps) == given
    assert len(set(given.values())) == len(given) > 2


@pytest.mark.parametrize("steps", [populate, add_a_flock])
def test_another_seed_gives_the_crowd_and_each_vehicle_another_identity(steps) -> None:
    given = in_a_new_file(steps)
    assert set(in_a_new_file(steps, seed=6).values()).isdisjoint(given.values())


def test_objects_tagged_one_by_one_have_the_identities_of_those_tagged_together() -> None:
    together = in_a_new_file(tag_ships)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for k in (1, 2, 3):
        tag(wedge(f"Ship {k}"), role="VEHICLE")
    assert identities() == together


def test_what_is_deleted_and_added_again_has_the_same_identities() -> None:
    before = in_a_new_file(add_a_flock)
    for ob in bpy.context.scene.objects:
        ob.select_set(True)
    bpy.ops.object.delete()
    # The region, the crowd and their collection stay in the file, out of any scene.
    add_a_flock()
    assert sorted(identities().values()) == sorted(before.values())


def test_another_scene_of_the_file_takes_no_identity_twice() -> None:
    first = in_a_new_file(add_a_flock)
    bpy.ops.scene.new(type="EMPTY")
    add_a_flock()
    assert set(identities().values()).isdisjoint(first.values())


def test_a_bake_gives_appended_vehicles_that_were_made_alike_identities_of_their_own(tmp_path) -> None:
    first = in_a_new_file(add_a_flock)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "flock.blend"))
    found = []
    for _ in range(2):
        assert in_a_new_file(add_a_flock) == first
        with bpy.data.libraries.load(str(tmp_path / "flock.blend")) as (_, appended):
            appended.collections = ["Flock"]
        bpy.context.scene.collection.children.link(appended.collections[0])
        frames(1, 3)
        bake()
        now = identities()
        assert {name: now[name] for name in first} == first
        vehicles = {name: number for name, number in now.items() if name.startswith("Bird")}
        assert len(vehicles) == len(set(vehicles.values())) == 6
        found.append(now)
    assert found[0] == found[1]
