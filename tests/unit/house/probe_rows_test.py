"""Adding a probe is one folder, one row and one test; a probe that lacks one of them is found here."""
import re
import unittest

from house import MadeTree, SOURCE_ROOT

LIST = "probes/all_probes.cc"


def probe_names(root):
    return sorted(p.parent.name for p in root.glob("probes/*/*.bpf.c"))


def faults(root):
    listing = root / LIST
    rows = listing.read_text() if listing.is_file() else ""
    found = []
    for name in probe_names(root):
        for suffix in (".bpf.c", ".h", ".cc"):
            if not (root / f"probes/{name}/{name}{suffix}").is_file():
                found.append(f"probes/{name}: has no {name}{suffix}")
        if not re.search(rf"\b{name}\b|\b\w*{name.title().replace('_', '')}\w*\b", rows):
            found.append(f"probes/{name}: has no row in {LIST}")
        if not (root / f"tests/bpf/{name}_test.cc").is_file():
            found.append(f"probes/{name}: has no test tests/bpf/{name}_test.cc")
    return found


def made(**without):
    files = {
        LIST: '{"cpu", OpenCpu},\n',
        "probes/cpu/cpu.bpf.c": "",
        "probes/cpu/cpu.h": "",
        "probes/cpu/cpu.cc": "",
        "tests/bpf/cpu_test.cc": "",
    }
    files.update(without)
    return files


class ProbeRows(unittest.TestCase):
    def test_every_probe_has_its_files_row_and_test(self):
        self.assertTrue(probe_names(SOURCE_ROOT), "no probe was found")
        self.assertEqual(faults(SOURCE_ROOT), [])

    def test_a_whole_probe_is_accepted(self):
        with MadeTree(made()) as root:
            self.assertEqual(faults(root), [])

    def test_each_missing_piece_is_found(self):
        for missing in ("probes/cpu/cpu.h", "probes/cpu/cpu.cc", "tests/bpf/cpu_test.cc", LIST):
            with MadeTree(made()) as root:
                (root / missing).unlink()
                self.assertEqual(len(faults(root)), 1, missing)

    def test_a_row_for_another_probe_does_not_count(self):
        with MadeTree(made(**{LIST: '{"switch", OpenSwitch},\n'})) as root:
            self.assertEqual(faults(root), ["probes/cpu: has no row in " + LIST])


if __name__ == "__main__":
    unittest.main()
