"""Flows as Blender has them: curves tagged as such and chains of edges, standing or moving, and which way they go."""

import itertools
import math

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.blender.animated import insert
from tests.blender.building import frames, meshed, part, path_curve
from tests.blender.seen import baked_frames, places, snapshots
from tests.blender.steered import bake, crowd, press, select, tag, vehicle
from tests.sampling import sampled
from tests.simulation.odd_input import BOUNDED


def current():
    return tag(path_curve("Current"), role="FLOW")


def drifter():
    frames(1, 2)
    return vehicle(crowd=crowd(flow_field_following={}))


def test_a_flow_is_not_a_path_and_a_path_is_not_a_flow() -> None:
    drifter()
    each, other = current(), tag(path_curve("Road", ((5.0, 0.0, 0.0), (5.0, 9.0, 0.0))), role="PATH")
    seen = snapshots()[0]
    assert (len(seen.flows), len(seen.paths)) == (1, 1)
    assert seen.flows[0][0].points[0].tolist() == [0.0, 0.0, 0.0]
    assert seen.paths[0][0].points[0].tolist() == [5.0, 0.0, 0.0]
    tag(each, role="PATH")
    assert (len(snapshots()[0].flows), len(snapshots()[0].paths)) == (1, 2)
    press("untag", each, role="FLOW")
    assert (len(snapshots()[0].flows), len(snapshots()[0].paths)) == (0, 2)
    assert other.steering.roles == {"PATH"}


@sampled
@pytest.mark.parametrize("kind", ["FLOAT_COLOR", "BYTE_COLOR", "FLOAT_VECTOR"])
@pytest.mark.parametrize("domain", ["POINT", "CORNER"])
def test_a_painted_mesh_flows_in_the_space_of_its_object(addon, kind: str, domain: str) -> None:
    """Painted along its own +X, and turned so that this is the world's +Y."""
    frames(1, 60)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=6, size=40.0, rotation=(0.0, 0.0, math.pi / 2))
    floor = bpy.context.object
    paint = floor.data.attributes.new("Current", kind, domain)
    for item in paint.data:
        if kind == "FLOAT_VECTOR":
            item.vector = (1.0, 0.0, 0.0)
        else:
            item.color = (1.0, 0.5, 0.5, 1.0)
    tag(floor, role="FLOW")
    floor.steering.flow_attribute = "Current"
    drifters = crowd(flow_field_following={"falloff_distance": 8.0})
    ship = vehicle(name="Ship", location=(2.0, -15.0, 1.0), rotation=(0.0, 0.0, -1.0), crowd=drifters)
    bake()
    end = places(ship, baked_frames())[-12:]
    step = end[-1] - end[0]
    assert step[1] / np.linalg.norm(step) > 0.99


def wire(name: str, points, edges=None, faces=(), **made):
    """A mesh of edges, through the points one after the other unless said otherwise, tagged as a flow."""
    edges = [(row, row + 1) for row in range(len(points) - 1)] if edges is None else edges
    ob = meshed(name, points, faces, edges=edges)
    for key, value in made.items():
        setattr(ob, key, value)
    return tag(ob, role="FLOW")


def lines(snapshot=0) -> list[list]:
    """The corners of the first flow's lines where they begin and end, rounded."""
    flow = snapshots()[snapshot].flows[0]
    return sorted([line.points[0].round(3).tolist(), line.points[-1].round(3).tolist()] for line in flow)


def test_only_edges_without_faces_count_unless_an_attribute_marks_others() -> None:
    drifter()
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0), (5.0, 0.0, 0.0), (6.0, 0.0, 0.0)]
    stream = wire("Wire", points, [(4, 5)], [(0, 1, 2, 3)])
    assert lines() == [[[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]]]
    edges = [tuple(sorted(edge.vertices)) for edge in stream.data.edges]
    for kind, value in (("BOOLEAN", True), ("INT", 3), ("FLOAT", 0.5)):
        marked = stream.data.attributes.new(kind, kind, "EDGE")
        marked.data[edges.index((1, 2))].value = value
        stream.steering.flow_attribute = kind
        assert lines() == [[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]]


def test_edges_flow_in_the_space_of_their_object_with_its_modifiers() -> None:
    drifter()
    stream = wire("Wire", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], rotation_euler=(0.0, 0.0, math.pi / 2))
    insert(stream, "location", {1: (1.0, 0.0, 0.0), 2: (5.0, 0.0, 0.0)})
    assert lines(0) == [[[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]]]
    assert lines(1) == [[[5.0, 0.0, 0.0], [5.0, 2.0, 0.0]]]
    stream.modifiers.new("Array", "ARRAY").count = 3
    assert len(lines()) == 3


def test_marked_edges_flow_in_reverse() -> None:
    drifter()
    stream = wire("Wire", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0)])
    stream.data.attributes.new("flow_reversed", "BOOLEAN", "EDGE").data[1].value = True
    assert lines() == [[[4.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]


def test_subdividing_and_extending_keep_the_direction() -> None:
    drifter()
    stream = wire("Wire", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0)])
    select(stream)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="VERT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    assert lines() == [[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]]
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    stream.data.vertices[0].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (-9.0, 0.0, 0.0)})
    bpy.ops.object.mode_set(mode="OBJECT")
    assert lines() == [[[-9.0, 0.0, 0.0], [4.0, 0.0, 0.0]]]
    stream.modifiers.new("Rounder", "SUBSURF")
    ((start, end),) = lines()
    assert start[0] < -8.0 and end[0] > 3.5


def switch(ob, selected) -> set[str]:
    """Select these edges of a mesh in Edit Mode and switch the direction there."""
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="EDGE")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for row in selected:
        ob.data.edges[row].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        return bpy.ops.steering.flow_switch_direction()
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_switching_the_direction_reverses_the_selected_lines_and_back() -> None:
    drifter()
    points = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 9.0, 0.0), (3.0, 9.0, 0.0)]
    stream = wire("Wire", points, [(0, 1), (1, 2), (3, 4)])
    along, other = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]], [[0.0, 9.0, 0.0], [3.0, 9.0, 0.0]]
    assert lines() == [along, other]
    assert switch(stream, [1]) == {"FINISHED"}
    assert lines() == sorted([along[::-1], other])
    assert switch(stream, [0, 2]) == {"FINISHED"}
    assert lines() == sorted([along, other[::-1]])
    assert switch(stream, []) == {"CANCELLED"}
    assert lines() == sorted([along, other[::-1]])
    select(stream)
    assert not bpy.ops.steering.flow_switch_direction.poll()


def test_a_mesh_without_the_named_attribute_is_refused() -> None:
    drifter()
    stream = wire("Wire", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    stream.data.attributes.new("Marks", "BOOLEAN", "EDGE")
    stream.data.attributes.new("Paint", "FLOAT_VECTOR", "POINT")
    for name, why in (
        ("Marks", "no edge that Marks marks"),
        ("Paint", "no faces that Paint could be painted on"),
        ("Wind", "no vector, color or edge attribute Wind"),
    ):
        stream.steering.flow_attribute = name
        with pytest.raises(RuntimeError, match=f"The flow Wire has {why}"):
            bpy.ops.steering.bake()


def runs(*edges: tuple[int, int], against: object = ()) -> list[list[int]]:
    """The vertices of each chain, with None at the end of those that are closed."""
    marked = np.isin(np.arange(len(edges)), list(against))  # type: ignore[call-overload]
    result = part("blender.read.flow_meshes").chains(np.array(edges, dtype=np.int64).reshape(-1, 2), marked)
    return [[*chain.vertices.tolist(), *[-1] * chain.closed] for chain in result]


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (2, 3)], [(3, 2), (0, 1), (2, 1)], [(2, 1), (1, 0), (3, 2)]])
def test_a_chain_runs_as_it_was_drawn_in_any_order_of_its_edges(edges: list[tuple[int, int]]) -> None:
    assert runs(*edges) == [[0, 1, 2, 3]]


def test_extending_or_subdividing_a_chain_keeps_its_direction() -> None:
    drawn_on = [(0, 1), (1, 2), (2, 3)]
    assert runs((0, 4), *drawn_on) == [[4, 0, 1, 2, 3]], "before its start, of a chain of four"
    assert runs((0, 4), (4, 5), (5, 6), (6, 7), *drawn_on) == [[7, 6, 5, 4, 0, 1, 2, 3]]
    assert runs((0, 5), (5, 4), (4, 3), (3, 1), (1, 8), (8, 7), (7, 2)) == [[0, 5, 4, 3, 1, 8, 7, 2]], "subdivided"


CHAINS = {
    "each branch of a fork": ([(0, 1), (1, 2), (2, 3), (3, 4), (2, 5), (5, 6)], [[0, 1, 2], [2, 3, 4], [2, 5, 6]]),
    "a loop on a stem": ([(0, 1), (1, 2), (2, 3), (3, 1)], [[0, 1], [1, 2, 3, -1]]),
    "a ring from its first vertex to its second": ([(2, 1), (1, 0), (2, 3), (3, 0)], [[0, 1, 2, 3, -1]]),
    "a ring the shorter way": ([(0, 4), (4, 1), (1, 3), (3, 2), (2, 5), (5, 0)], [[0, 4, 1, 3, 2, 5, -1]]),
    "a ring drawn back": ([(0, 5), (5, 2), (2, 3), (3, 1), (1, 4), (4, 0)], [[0, 4, 1, 3, 2, 5, -1]]),
    "nothing": ([], []),
    "an edge of one point": ([(3, 3)], []),
}


@pytest.mark.parametrize(("edges", "chains"), CHAINS.values(), ids=CHAINS)
def test_chains_end_at_forks_and_rings_run_from_their_first_vertex(edges: list, chains: list) -> None:
    assert sorted(runs(*edges)) == chains


def test_one_marked_edge_reverses_its_whole_chain_and_no_other() -> None:
    assert runs((0, 1), (1, 2), (4, 5), against=[1]) == [[2, 1, 0], [4, 5]]
    assert runs((0, 1), (1, 2), (2, 3), (3, 0), against=[2]) == [[0, 3, 2, 1, -1]]


@BOUNDED
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25), st.data())
def test_each_edge_is_in_one_chain_and_joins_its_neighbors_there(
    drawn: list[tuple[int, int]], data: st.DataObject
) -> None:
    edges = np.array(drawn, dtype=np.int64).reshape(-1, 2)
    against = np.array([data.draw(st.booleans()) for _ in drawn], dtype=np.bool_)
    result = part("blender.read.flow_meshes").chains(edges, against)
    rows = [row for chain in result for row in chain.edges.tolist()]
    assert sorted(rows) == [row for row, (a, b) in enumerate(drawn) if a != b]
    for chain in result:
        after = np.roll(chain.vertices, -1)[: len(chain.edges)]
        for a, b, row in zip(chain.vertices.tolist(), after.tolist(), chain.edges.tolist(), strict=False):
            assert {a, b} == set(drawn[row])


@BOUNDED
@given(st.permutations(range(6)), st.permutations(range(5)), st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_order_of_stored_edges_does_not_matter(names: list[int], order: list[int], turned: list[bool]) -> None:
    line = list(itertools.pairwise(names))
    stored = [line[row][::-1] if turned[row] else line[row] for row in order]
    assert runs(*line) == runs(*stored)
    assert runs(*line, (names[-1], names[0])) == runs((names[0], names[-1]), *stored)
