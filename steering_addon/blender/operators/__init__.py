"""The operators, which are also the scripting interface: `bpy.ops.steering.*`.

A file of this folder is registered by being here, with the operators and menus that it defines, and with those of its
`OPERATORS`, which are made of a table. Its `ENTRIES` say what draws them into which menus of Blender, and its
`unregister`, if it has one, ends what its operators have left running.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import bpy

_MODULES = tuple(import_module(f".{module.name}", __name__) for module in iter_modules(__path__))
_ENTRIES = [entry for module in _MODULES for entry in getattr(module, "ENTRIES", {}).items()]


def _defined_in(module: ModuleType) -> list[type]:
    own = (cls for cls in vars(module).values() if isinstance(cls, type) and cls.__module__ == module.__name__)
    defined = (cls for cls in own if issubclass(cls, (bpy.types.Operator, bpy.types.Menu)))
    return [*defined, *getattr(module, "OPERATORS", ())]


_register, _unregister = bpy.utils.register_classes_factory(
    tuple(cls for module in _MODULES for cls in _defined_in(module))
)


def register() -> None:
    _register()
    for menu, draw in _ENTRIES:
        getattr(bpy.types, menu).append(draw)


def unregister() -> None:
    for menu, draw in _ENTRIES:
        getattr(bpy.types, menu).remove(draw)
    for module in _MODULES:
        if hasattr(module, "unregister"):
            module.unregister()
    _unregister()
