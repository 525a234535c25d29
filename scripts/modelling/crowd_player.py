"""The node groups of crowd caches: a player instances models where the cache has agents, on any frame, and another
group makes a model of each pose that a mesh holds.

It uses what all supported versions of Blender have, without integer arithmetic, which 4.2 lacks: a row of the cache is
summed up by Accumulate Field, as single precision holds integers up to 2^24 only, and a cache may have more rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from steering_addon.blender.crowds.asset_files import GROUPS, PHASES, PLAYER, POSES

DESCRIPTIONS = {
    PLAYER: "Plays a crowd cache of Steering Behaviors: instances of models, on any frame, with motion blur",
    POSES: "Makes a model of each pose that a mesh holds, and gathers those of the children of a collection",
}
SOCKETS = {
    "OBJECT": "NodeSocketObject",
    "COLLECTION": "NodeSocketCollection",
    "INT": "NodeSocketInt",
    "FLOAT": "NodeSocketFloat",
    "BOOLEAN": "NodeSocketBool",
}
NEAR = 0.5
"""Keys of agents and edits that are nearer than this are the same."""


@dataclass(frozen=True)
class Input:
    """An input of the player. `default`, `least`: its value, and the least one; None for none."""

    label: str
    kind: str
    description: str
    default: Any = None
    least: float | None = None


INPUTS = (
    Input("Cache", "OBJECT", "Object whose mesh holds all frames of the crowd"),
    Input("Models", "COLLECTION", "What to show without Posed Models, a child each"),
    Input("Frame Offset", "FLOAT", "Frames by which the crowd is ahead of the scene", 0.0),
    Input("Speed", "FLOAT", "How fast it plays from the first frame on, as a factor", 1.0),
    Input(
        "Pick Poses", "BOOLEAN", "Show models in the pose of each frame; otherwise Models has a child a variant", True
    ),
    Input("Poses", "INT", "Number of poses of each model", 1, 1),
    Input("First Frame", "INT", "Frame of the scene on which the cache begins", 1),
    Input("Frame Rate", "FLOAT", "Frames a second, for the attribute speed", 24.0, 0.0),
    Input("Edits", "OBJECT", "Object whose points change agents, each that of its key"),
    Input("Posed Models", "OBJECT", "Object whose instances are shown: the poses of one model after the other"),
)
"""The inputs of the player after the geometry, whose points are the agents."""
POSING = (
    Input("Models", "COLLECTION", "What has the poses, a child for each model"),
    Input("Poses", "INT", "Number of poses that the mesh holds", 1, 1),
)
"""The inputs of what poses models after the geometry: a mesh with all its points once for each pose."""


def crowd_nodes() -> set[bpy.types.NodeTree]:
    """Make the node groups in the file that is open."""
    player, poses = _group(PLAYER, INPUTS), _group(POSES, POSING)
    _Player(player).build()
    _Poses(poses).build()
    return {player, poses}


def _group(kind: str, inputs: Sequence[Input]) -> bpy.types.NodeTree:
    name, version = GROUPS[kind]
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier, tree.use_fake_user = True, True
    tree[kind] = version
    tree.description = DESCRIPTIONS[kind]
    tree.asset_mark()
    tree.asset_data.description = DESCRIPTIONS[kind]
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    for each in inputs:
        socket = tree.interface.new_socket(each.label, in_out="INPUT", socket_type=SOCKETS[each.kind])
        socket.description = each.description
        if each.default is not None:
            socket.default_value = each.default
        if each.least is not None:
            socket.min_value = each.least
    return tree


class _Nodes:
    """Makes the nodes of a group, from left to right."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self._tree, self._column = tree, 0
        self._start = self._node("NodeGroupInput")

    def _node(self, kind: str, *inputs: Any, **settings: Any) -> Any:
        """A node; inputs by place, as sockets or values, None for none."""
        node = self._tree.nodes.new(kind)
        node.location, self._column = (180.0 * self._column, 0.0), self._column + 1
        for name, value in settings.items():
            setattr(node, name, value)
        for socket, value in zip(node.inputs, inputs):
            self._give(socket, value)
        return node

    def _give(self, socket: Any, value: Any) -> None:
        if isinstance(value, bpy.types.NodeSocket):
            self._tree.links.new(value, socket)
        elif value is not None:
            socket.default_value = value

    def _given(self, name: str) -> Any:
        return self._start.outputs[name]

    def _geometry(self, name: str) -> Any:
        return self._node("GeometryNodeObjectInfo", self._given(name)).outputs["Geometry"]

    def _children(self, name: str) -> Any:
        """The children of a collection as instances, in the order of their names."""
        return self._node("GeometryNodeCollectionInfo", self._given(name), True, True).outputs[0]

    def _count(self, geometry: Any) -> Any:
        """The number of points, an integer."""
        return self._node("GeometryNodeAttributeDomainSize", geometry, component="MESH").outputs["Point Count"]

    def _frames(self, held: Any, agents: Any) -> Any:
        """The number of frames in a cache."""
        ratio = self._math("DIVIDE", self._count(held), self._math("MAXIMUM", self._count(agents), 1.0))
        return self._math("FLOOR", self._math("ADD", ratio, 0.5))

    def _math(self, operation: str, *values: Any) -> Any:
        return self._node("ShaderNodeMath", *values, operation=operation).outputs[0]

    def _clamped(self, value: Any, most: Any) -> Any:
        return self._math("MAXIMUM", self._math("MINIMUM", value, most), 0.0)

    def _integer(self, value: Any) -> Any:
        return self._node("FunctionNodeFloatToInt", value, rounding_mode="ROUND").outputs[0]

    def _named(self, name: str, kind: str) -> Any:
        return self._node("GeometryNodeInputNamedAttribute", name, data_type=kind).outputs[0]

    def _sampled(self, geometry: Any, value: Any, index: Any, kind: str) -> Any:
        return self._by_name("GeometryNodeSampleIndex", kind, Geometry=geometry, Value=value, Index=index)

    def _by_name(self, kind: str, data_type: str, **inputs: Any) -> Any:
        return self._filled(self._node(kind, data_type=data_type), inputs)

    def _filled(self, node: Any, inputs: Mapping[str, Any]) -> Any:
        """The output of a node whose enabled inputs of these names are given."""
        for name, value in inputs.items():
            self._give(next(each for each in node.inputs if each.name == name and each.enabled), value)
        return next(each for each in node.outputs if each.enabled)

    def _switch(self, kind: str, on: Any, no: Any, yes: Any) -> Any:
        """`yes` where it is on, else `no`; by the names of attribute types."""
        node = self._node("GeometryNodeSwitch", input_type="VECTOR" if kind == "FLOAT_VECTOR" else kind)
        return self._filled(node, {"Switch": on, "False": no, "True": yes})

    def _compared(self, value: Any, operation: str, other: int) -> Any:
        node = self._node("FunctionNodeCompare", data_type="INT", operation=operation)
        a, b = (each for each in node.inputs if each.enabled)
        self._give(a, value)
        self._give(b, other)
        return node.outputs[0]

    def _mixed(self, kind: str, share: Any, a: Any, b: Any) -> Any:
        node = self._node("ShaderNodeMix", data_type=kind)
        for name, of, value in (("Factor", "VALUE", share), ("A", kind, a), ("B", kind, b)):
            self._give(next(each for each in node.inputs if each.name == name and each.type == of), value)
        return next(each for each in node.outputs if each.type == kind)

    def _captured(self, geometry: Any, *fields: tuple[str, Any]) -> list[Any]:
        """A geometry, and fields of these types as they are on its points."""
        node = self._node("GeometryNodeCaptureAttribute", domain="POINT")
        for number, (kind, _) in enumerate(fields):
            node.capture_items.new(kind, str(number))
        self._give(node.inputs["Geometry"], geometry)
        for number, (_, value) in enumerate(fields):
            self._give(node.inputs[str(number)], value)
        return [node.outputs["Geometry"], *(node.outputs[str(number)] for number in range(len(fields)))]

    def _accumulated(self, value: Any, output: str) -> Any:
        """The sum of integers up to each point ("Leading" with its own, "Trailing" without), or of all ("Total")."""
        node = self._node("GeometryNodeAccumulateField", data_type="INT", domain="POINT")
        self._give(next(each for each in node.inputs if each.name == "Value" and each.enabled), value)
        return next(each for each in node.outputs if each.name == output and each.enabled)


class _Player(_Nodes):
    """Builds the player."""

    def build(self) -> None:
        agents, held, edits = self._given("Geometry"), self._geometry("Cache"), self._geometry("Edits")
        self._find_edits(edits)
        count, frames = self._count(agents), self._frames(held, agents)
        last = self._math("MAXIMUM", self._math("SUBTRACT", frames, 1.0), 0.0)
        speed = self._math("MULTIPLY", self._given("Speed"), self._edited("speed", "FLOAT", 1.0))
        shift = self._math("ADD", self._given("Frame Offset"), self._edited("frame_offset", "FLOAT", 0.0))
        elapsed = self._math(
            "SUBTRACT", self._node("GeometryNodeInputSceneTime").outputs["Frame"], self._given("First Frame")
        )
        now = self._clamped(self._math("MULTIPLY_ADD", elapsed, speed, shift), last)
        # Between the last two frames on the last one, too, so that the speed is known there.
        whole = self._clamped(self._math("FLOOR", now), self._math("SUBTRACT", last, 1.0))
        share = self._math("SUBTRACT", now, whole)
        self._prepare_rows(count, frames)
        before = self._rows(whole)
        after = self._rows(self._math("MINIMUM", self._math("ADD", whole, 1.0), last))
        # Of the nearest frame: within a centred shutter it stays, so that Cycles blurs the instance.
        nearest = self._switch("INT", self._math("LESS_THAN", share, 0.5), after, before)

        position, rotation = self._node("GeometryNodeInputPosition").outputs[0], self._named("rotation", "QUATERNION")
        was, becomes = (self._sampled(held, position, row, "FLOAT_VECTOR") for row in (before, after))
        turned, turns = (self._sampled(held, rotation, row, "QUATERNION") for row in (before, after))
        place = self._mixed("VECTOR", share, was, becomes)
        turn = self._mixed("ROTATION", share, turned, turns)
        metres = self._node("ShaderNodeVectorMath", was, becomes, operation="DISTANCE")
        rate = self._math("MULTIPLY", self._given("Frame Rate"), self._math("ABSOLUTE", speed))

        pose = self._sampled(held, self._named("pose", "INT"), nearest, "INT")
        chosen = self._edited("variant", "INT", -1)
        variant = self._switch("INT", self._compared(chosen, "GREATER_EQUAL", 0), self._named("variant", "INT"), chosen)
        posed = self._math("MULTIPLY_ADD", variant, self._given("Poses"), pose)
        index = self._integer(self._switch("FLOAT", self._given("Pick Poses"), variant, posed))
        hidden = self._edited("hidden", "BOOLEAN", False)
        shown = self._node(
            "FunctionNodeBooleanMath", self._compared(pose, "GREATER_EQUAL", 0), hidden, operation="NIMPLY"
        ).outputs[0]
        offset = self._node(
            "ShaderNodeVectorMath", place, self._edited("offset", "FLOAT_VECTOR", None), operation="ADD"
        )
        phase = self._math("DIVIDE", self._sampled(held, self._named("phase", "INT"), nearest, "INT"), float(PHASES))
        state = self._sampled(held, self._named("state", "INT"), nearest, "INT")
        # All at once: each node that takes fields computes all of them.
        told, place, turn, shown, index, *columns = self._captured(
            agents,
            ("VECTOR", offset.outputs[0]),
            ("ROTATION", turn),
            ("BOOLEAN", shown),
            ("INT", index),
            ("FLOAT", self._math("MULTIPLY", metres.outputs["Value"], rate)),
            ("FLOAT", phase),
            ("INT", state),
            ("INT", variant),
        )
        moved = self._node("GeometryNodeSetPosition")
        self._give(moved.inputs["Geometry"], told)
        self._give(moved.inputs["Position"], place)
        told = moved.outputs[0]
        for name, value, kind in zip(("speed", "phase", "state", "variant"), columns, ("FLOAT", "FLOAT", "INT", "INT")):
            node = self._node("GeometryNodeStoreNamedAttribute", data_type=kind, domain="POINT")
            told = self._filled(node, {"Geometry": told, "Name": name, "Value": value})
        posed = self._geometry("Posed Models")
        size = self._node("GeometryNodeAttributeDomainSize", posed, component="INSTANCES")
        some = self._compared(size.outputs["Instance Count"], "GREATER_EQUAL", 1)
        is_posed = self._node("FunctionNodeBooleanMath", some, self._given("Pick Poses"))
        models = self._switch("GEOMETRY", is_posed.outputs[0], self._children("Models"), posed)
        instances = self._node("GeometryNodeInstanceOnPoints")
        for name, value in (
            ("Points", told),
            ("Selection", shown),
            ("Instance", models),
            ("Pick Instance", True),
            ("Instance Index", index),
            ("Rotation", turn),
            ("Scale", self._named("scale", "FLOAT_VECTOR")),
        ):
            self._give(instances.inputs[name], value)
        self._give(self._node("NodeGroupOutput").inputs[0], instances.outputs[0])

    def _find_edits(self, edits: Any) -> None:
        """Find the change of each agent after the simulation, by its key."""
        key = self._named("key", "FLOAT_VECTOR")
        nearest = self._node("GeometryNodeSampleNearest", domain="POINT")
        self._give(nearest.inputs["Geometry"], edits)
        self._give(nearest.inputs["Sample Position"], key)
        self._edits, self._edit = edits, nearest.outputs[0]
        place = self._node("GeometryNodeInputPosition").outputs[0]
        distance = self._node("ShaderNodeVectorMath", operation="DISTANCE")
        self._give(distance.inputs[0], self._sampled(edits, place, self._edit, "FLOAT_VECTOR"))
        self._give(distance.inputs[1], key)
        self._found = self._math("LESS_THAN", distance.outputs["Value"], NEAR)
        # A single value: with no edits nothing is looked up.
        self._some = self._compared(self._count(edits), "GREATER_EQUAL", 1)

    def _edited(self, name: str, kind: str, otherwise: Any) -> Any:
        """The attribute of a name of an edit; of agents that were not changed, another value."""
        value = self._sampled(self._edits, self._named(name, kind), self._edit, kind)
        return self._switch(kind, self._some, otherwise, self._switch(kind, self._found, otherwise, value))

    def _prepare_rows(self, number: Any, frames: Any) -> None:
        """Make what rows of agents in the cache are found by."""
        self._frame_count, self._index = frames, self._node("GeometryNodeInputIndex").outputs[0]
        self._is_first = self._compared(self._index, "EQUAL", 0)
        less = self._integer(self._math("MULTIPLY", number, -1.0))
        back = self._node("GeometryNodePoints", self._integer(self._math("ADD", frames, 1.0))).outputs[0]
        # 1 - frames * number.
        lowest = self._accumulated(self._switch("INT", self._is_first, less, 1), "Total")
        lowest = self._sampled(back, lowest, 0, "INT")
        ends = self._integer(self._math("MULTIPLY_ADD", frames, 2.0, 1.0))
        self._table = self._node("GeometryNodePoints", ends).outputs[0]
        self._steps = self._accumulated(self._switch("INT", self._is_first, number, lowest), "Leading")
        self._multiples = self._accumulated(number, "Trailing")

    def _rows(self, frame: Any) -> Any:
        """The row of each agent on a frame of its own, counted from the first: frame * number + agent, exact for all
        that integers can hold.

        From each agent to the next it grows by 1 + number * (frame - frame of the agent before), which a table holds.
        """
        ahead = self._integer(self._math("SUBTRACT", self._index, 1.0))
        earlier = self._by_name("GeometryNodeFieldAtIndex", "FLOAT", Index=ahead, Value=frame)
        change = self._integer(self._math("ADD", self._math("SUBTRACT", frame, earlier), self._frame_count))
        step = self._sampled(self._table, self._steps, change, "INT")
        start = self._sampled(self._table, self._multiples, self._integer(frame), "INT")
        return self._accumulated(self._switch("INT", self._is_first, step, start), "Leading")


class _Poses(_Nodes):
    """Builds the group that poses models.

    A mesh holds its points once for each pose, and faces of the first only. Copies of that part, joined, have as many
    points in the same order.
    """

    def build(self) -> None:
        held, index = self._given("Geometry"), self._node("GeometryNodeInputIndex").outputs[0]
        number = self._named("model", "INT")
        first = self._node("GeometryNodeSplitToInstances", held, self._named("faced", "BOOLEAN"), domain="POINT")
        copies = self._node("GeometryNodeDuplicateElements", first.outputs[0], domain="INSTANCE")
        self._give(copies.inputs["Amount"], self._given("Poses"))
        joined = self._node("GeometryNodeRealizeInstances", copies.outputs[0])
        position = self._node("GeometryNodeInputPosition").outputs[0]
        posed = self._node("GeometryNodeSetPosition", joined.outputs[0])
        self._give(posed.inputs["Position"], self._sampled(held, position, index, "FLOAT_VECTOR"))
        models = self._node("GeometryNodeSplitToInstances", posed.outputs[0], domain="POINT")
        self._give(models.inputs["Group ID"], self._sampled(held, number, index, "INT"))
        # Groups are in any order.
        ordered = self._node("GeometryNodeSortElements", models.outputs["Instances"], domain="INSTANCE")
        self._give(ordered.inputs["Sort Weight"], models.outputs["Group ID"])
        gathered = self._node("GeometryNodeRealizeInstances", self._children("Models"))
        gathered.inputs["Realize All"].default_value, gathered.inputs["Depth"].default_value = False, 1
        both = self._node("GeometryNodeJoinGeometry")
        for geometry in (gathered.outputs[0], ordered.outputs[0]):
            self._give(both.inputs[0], geometry)
        self._give(self._node("NodeGroupOutput").inputs[0], both.outputs[0])
