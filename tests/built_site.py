"""The manual as a site, which is the same for all tests: in a run of scripts/test the first one builds it for all."""

import fcntl
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from site_builder import build_site  # noqa: E402

SHARED = "STEERING_SHARED"
"""The environment variable by which scripts/test names a folder that all its stages share."""


def built_site(folder: Path) -> Path:
    """The folder of the site, built as strictly as scripts/site does; below `folder` unless scripts/test runs."""
    shared = Path(os.environ.get(SHARED, folder))
    site = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.exists():
            build_site(site)
    return site
