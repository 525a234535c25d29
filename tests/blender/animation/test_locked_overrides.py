"""Library overrides as Make Library Override leaves them: all objects but the one that was clicked are locked."""

import bpy
import numpy as np

from tests.blender.building import at_frames, empty, frames, part
from tests.blender.steered import crowd, fleet, select
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def overridden(objects: list, path: str) -> list:
    """The objects linked from a file that holds nothing else, as overrides made by a click on an instance of them."""
    collection = bpy.data.collections.new("Fleet")
    for ob in objects:
        collection.objects.link(ob)
    bpy.data.libraries.write(path, {collection})
    bpy.data.batch_remove([*bpy.context.scene.objects, *bpy.data.collections])
    bpy.ops.wm.link(directory=f"{path}/Collection/", filename="Fleet", instance_collections=True)
    (shown,) = bpy.context.scene.objects
    select(shown)
    assert bpy.ops.object.make_override_library() == {"FINISHED"}
    return [ob for ob in bpy.data.objects if ob.override_library is not None]


def test_a_preview_shows_locked_overrides_on_their_way_and_leaves_them_where_they_stand(tmp_path) -> None:
    frames(1, 20)
    fleet(3, crowd=crowd("Ships", wander={"strength": 8.0}))
    members = overridden(list(bpy.context.scene.objects), str(tmp_path / "fleet.blend"))
    ships = [ob for ob in members if ob.type == "MESH"]
    locked = [ob.override_library.is_system_override for ob in members]
    assert len(ships) == 3 and any(locked)
    stood = [tuple(ob.location) for ob in ships]
    assert bpy.ops.steering.preview() == {"FINISHED"}
    for frame in at_frames((5, 20)):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown = np.array([ob.evaluated_get(depsgraph).matrix_world.translation for ob in ships])
        assert (np.linalg.norm(shown - stood, axis=1) > 0.1 * frame).all()
        assert [tuple(ob.location) for ob in ships] == stood
    assert [ob.override_library.is_system_override for ob in members] == locked


def test_locked_overrides_are_hidden_and_shown_in_bulk(tmp_path) -> None:
    members = overridden([empty("Food"), empty("Crumb")], str(tmp_path / "food.blend"))
    locked = [ob.override_library.is_system_override for ob in members]
    assert any(locked)
    for hidden in (True, False):
        part("blender.animation.visibility").show_as({ob: {"hide_viewport": hidden} for ob in members})
        assert [ob.hide_viewport for ob in members] == [hidden] * len(members)
    assert [ob.override_library.is_system_override for ob in members] == locked
