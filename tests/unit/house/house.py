"""What the gates of the house share: which files are ours, and how a made-up tree is checked."""
import os
import pathlib
import tempfile

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ("agent", "probes", "collector", "tests")
SUFFIXES = (".cc", ".h", ".c", ".py")


def own_files(root, folders=FOLDERS, suffixes=SUFFIXES):
    """Paths below root, relative, of the sources we wrote; hidden and build folders are none."""
    found = []
    for folder in folders:
        for directory, names, files in os.walk(root / folder):
            names[:] = [n for n in names if not n.startswith((".", "__", "build"))]
            found += [
                (pathlib.Path(directory) / f).relative_to(root).as_posix()
                for f in files
                if f.endswith(suffixes)
            ]
    return sorted(found)


class MadeTree:
    """A tree of files made for one test: MadeTree({"agent/base/a.h": "text"})."""

    def __init__(self, files):
        self._folder = tempfile.TemporaryDirectory(prefix="hl-house-")
        self.root = pathlib.Path(self._folder.name)
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def __enter__(self):
        return self.root

    def __exit__(self, *_):
        self._folder.cleanup()
