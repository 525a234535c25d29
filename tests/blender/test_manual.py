"""A right click > Online Manual on anything of the extension opens the page about it."""

import webbrowser
from pathlib import Path

import bpy
import pytest

from tests.blender.building import part
from tests.blender.drawing import shown
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder, with a space in its path, that holds the first page of the site; its address."""
    folder = tmp_path / "the manual"
    folder.mkdir()
    (folder / part("blender.panels.manual").FIRST).write_text("<html></html>")
    monkeypatch.setattr(part("blender.panels.manual"), "SHIPPED", folder)
    return f"{folder.as_uri()}/"


def address_of(name: str) -> str | None:
    """The address that Blender opens for an RNA name, such as bpy.types.STEERING_PG_seek.weight."""
    return bpy.types.WM_OT_doc_view_manual._lookup_rna_url(name, verbose=False)


def written_page(address: str) -> Path:
    """The page in the repository that a page of the site is made of."""
    return (ROOT / address).with_suffix(".md")


def test_every_setting_of_a_behavior_leads_to_the_page_of_that_behavior(shipped: str) -> None:
    for behavior in part("behaviors").CATALOGUE:
        group = type(getattr(bpy.data.objects.new("Crowd", None).steering, behavior.name))
        assert len(group.bl_rna.properties) > 4
        for name in list(group.bl_rna.properties.keys()):
            address = address_of(f"bpy.types.{group.__name__}.{name}")
            assert address == f"{shipped}docs/behaviors/{behavior.name}.html"
        heading = written_page(f"docs/behaviors/{behavior.name}.html").read_text(encoding="utf-8")
        assert f"\n# {behavior.label}\n" in heading


def test_every_setting_of_vehicles_leads_to_a_page_that_names_it(shipped: str) -> None:
    moves = (kind.name for kind in part("locomotion").CATALOGUE)
    for group in ("vehicle", "portrayal", "attendance", *moves):
        properties = type(getattr(bpy.data.objects.new("Crowd", None).steering, group)).bl_rna.properties
        names = set(properties.keys()) - {"rna_type", "name"}
        for name in names:
            address = address_of(f"bpy.types.STEERING_PG_{group}.{name}")
            text = written_page(address.removeprefix(shipped)).read_text(encoding="utf-8")
            assert f"`{name}`" in text, (group, name)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("bpy.types.STEERING_PG_object.combining", "docs/behaviors/combining.html"),
        ("bpy.types.STEERING_PG_object.own_locomotion", "docs/behaviors/vehicles.html"),
        ("bpy.types.STEERING_PG_object.crowd", "README.html"),
        ("bpy.types.STEERING_PG_scene.seed", "README.html"),
        ("bpy.types.Object.steering", "README.html"),
        ("bpy.ops.steering.behavior_add", "docs/behaviors/README.html"),
        ("bpy.ops.steering.behavior_preset_apply", "docs/presets.html"),
        ("bpy.ops.steering.preset_apply", "docs/presets.html"),
        ("bpy.ops.steering.bake", "docs/previews_and_bakes.html"),
        ("bpy.types.STEERING_PG_object.output", "docs/crowd_cache.html"),
    ],
)
def test_a_name_leads_to_its_page(shipped: str, name: str, page: str) -> None:
    assert address_of(name) == shipped + page


def test_every_operator_and_every_class_leads_to_an_existing_page(shipped: str) -> None:
    operators = [f"bpy.ops.steering.{name}" for name in dir(bpy.ops.steering)]
    classes = [f"bpy.types.{name}" for name in dir(bpy.types) if name.startswith("STEERING_")]
    groups = [f"bpy.types.{cls.__name__}.name" for cls in part("blender.properties").CLASSES.values()]
    assert min(len(operators), len(classes), len(groups)) > 5
    for name in [*operators, *classes, *groups]:
        assert written_page(address_of(name).removeprefix(shipped)).is_file(), name


def test_what_belongs_to_blender_keeps_its_own_page(shipped: str) -> None:
    assert address_of("bpy.types.Object.location").startswith("https://")


def test_the_menu_entry_opens_the_page_in_the_browser(shipped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert bpy.ops.wm.doc_view_manual(doc_id="STEERING_PG_seek.weight") == {"FINISHED"}
    assert opened == [f"{shipped}docs/behaviors/seek.html"]


def test_the_object_menu_leads_to_the_manual_if_there_is_one(shipped: str, monkeypatch) -> None:
    manual = part("blender.panels.manual")
    entries = {
        ("operator", "wm.url_open", "Steering Manual"): manual.FIRST,
        ("operator", "wm.url_open", "How to Export or Link a Bake"): manual.HANDING_OVER,
    }
    for page in entries.values():
        assert written_page(manual.address_of(page).removeprefix(shipped)).is_file()
    assert set(entries) <= set(shown("STEERING_MT_object"))
    monkeypatch.setattr(manual, "SHIPPED", Path("/nothing"))
    assert not set(entries) & set(shown("STEERING_MT_object"))


def test_without_pages_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part("blender.panels.manual"), "SHIPPED", tmp_path / "nothing")
    assert address_of("bpy.types.STEERING_PG_seek.weight") is None


def test_an_address_on_the_web_goes_before_the_shipped_pages(shipped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part("blender.panels.manual"), "ADDRESS", "https://example.org/steering/")
    assert address_of("bpy.types.STEERING_PG_wander.rate") == (
        "https://example.org/steering/docs/behaviors/wander.html"
    )
