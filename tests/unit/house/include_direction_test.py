"""Includes point with the flow: hook -> maps -> window -> spool -> stream -> store -> answer, never back."""
import re
import unittest

from house import MadeTree, SOURCE_ROOT, own_files

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

# probes/abi holds the structs that kernel and user space share: the lowest layer there is.
BASE = {"agent/base", "proto"}
CAPTURE = BASE | {"agent/bpf", "probes", "agent/symbols", "agent/engine"}
STORE = BASE | {"collector/store"}

# A part and the parts it may include; itself always. What is not listed may not exist.
MAY_INCLUDE = {
    "agent/base": set(),
    "probes/abi": set(),
    "agent/bpf": BASE | {"probes/abi"},
    "probes": BASE | {"agent/bpf", "probes/abi"},
    "agent/symbols": BASE | {"agent/bpf"},
    "agent/engine": BASE | {"agent/bpf"},
    "agent/pipeline": CAPTURE,
    "agent/self": BASE | {"agent/bpf"},
    "agent/spool": BASE | {"agent/pipeline"},
    "agent/daemon": CAPTURE | {"agent/pipeline", "agent/self", "agent/spool"},
    "agent/main.cc": CAPTURE | {"agent/pipeline", "agent/self", "agent/spool", "agent/daemon"},
    "collector/store": BASE,
    "collector/query": STORE,
    "collector/ingest": STORE,
    "collector/daemon": STORE | {"collector/query", "collector/ingest"},
    "collector/main.cc": STORE | {"collector/query", "collector/ingest", "collector/daemon"},
    # The command line records without a daemon, so it alone may reach into the agent.
    "collector/cli": STORE | {"collector/query", "agent/pipeline", "agent/self"},
}
LIBBPF_USERS = ("agent/bpf", "probes", "agent/self")


def part_of(path):
    if path.startswith("hotlatch/v1/"):
        return "proto"
    if path.startswith("probes/abi/"):
        return "probes/abi"
    if path.startswith("probes/"):
        return "probes"
    pieces = path.split("/")
    return "/".join(pieces[:2]) if pieces[0] in ("agent", "collector") else None


def is_ours(include):
    return part_of(include) is not None or include.startswith("tests/")


def skeleton_fault(path, include):
    """A skeleton belongs to the .cc file of its own probe."""
    probe = include.split("/")[-1].removesuffix(".skel.h")
    if path != f"probes/{probe}/{probe}.cc":
        return f"{path}: includes {include}: only probes/{probe}/{probe}.cc may"
    return None


def include_fault(path, include):
    part = part_of(path)
    if include.endswith(".skel.h"):
        return skeleton_fault(path, include)
    if include.startswith("tests/"):
        return f"{path}: includes {include}: tests are never part of the product"
    if include.startswith("bpf/") and part not in LIBBPF_USERS:
        return f"{path}: includes {include}: libbpf is for {', '.join(LIBBPF_USERS)} only"
    target = part_of(include)
    if target is None or target == part or target in MAY_INCLUDE[part]:
        return None
    return f"{path}: includes {include}: {part} may not know {target}"


def faults(root):
    found = []
    for path in own_files(root, ("agent", "probes", "collector"), (".cc", ".h", ".c")):
        if part_of(path) not in MAY_INCLUDE:
            found.append(f"{path}: is in no known part; add {part_of(path)} to MAY_INCLUDE")
            continue
        for include in INCLUDE.findall((root / path).read_text()):
            fault = include_fault(path, include)
            found += [fault] if fault else []
    return found


class IncludeDirection(unittest.TestCase):
    def rejects(self, path, include):
        with MadeTree({path: f'#include "{include}"\n'}) as root:
            self.assertEqual(len(faults(root)), 1, f"{path} includes {include}")

    def accepts(self, path, include):
        with MadeTree({path: f'#include "{include}"\n'}) as root:
            self.assertEqual(faults(root), [])

    def test_our_tree_flows_one_way(self):
        self.assertGreater(len(own_files(SOURCE_ROOT)), 10, "the sources were not found")
        self.assertEqual(faults(SOURCE_ROOT), [])

    def test_wrong_directions_are_rejected(self):
        for path, include in [
            ("agent/base/a.h", "agent/bpf/b.h"),
            ("agent/base/a.h", "hotlatch/v1/window.pb.h"),
            ("agent/bpf/a.cc", "probes/cpu/cpu.h"),
            ("probes/abi/a.h", "agent/base/result.h"),
            ("probes/cpu/cpu.cc", "agent/pipeline/pipeline.h"),
            ("agent/symbols/a.cc", "agent/engine/engine.h"),
            ("agent/pipeline/a.cc", "agent/spool/spool.h"),
            ("agent/spool/a.cc", "collector/store/store.h"),
            ("agent/main.cc", "collector/query/query.h"),
            ("collector/store/a.cc", "collector/query/query.h"),
            ("collector/query/a.cc", "collector/ingest/check.h"),
            ("collector/ingest/a.cc", "agent/pipeline/pipeline.h"),
            ("collector/main.cc", "agent/self/doctor.h"),
            ("collector/cli/a.cc", "agent/bpf/link.h"),
            ("collector/cli/a.cc", "collector/ingest/check.h"),
            ("agent/engine/a.cc", "tests/support/process.h"),
            ("agent/pipeline/a.cc", "bpf/libbpf.h"),
            ("probes/cpu/cpu.cc", "switch.skel.h"),
            ("agent/bpf/a.cc", "cpu.skel.h"),
            ("agent/unknown/a.cc", "string"),
        ]:
            self.rejects(path, include)

    def test_the_flow_itself_is_accepted(self):
        for path, include in [
            ("probes/cpu/cpu.cc", "cpu.skel.h"),
            ("probes/cpu/cpu.cc", "bpf/libbpf.h"),
            ("probes/cpu/cpu.bpf.c", "probes/bpf/loss.bpf.h"),
            ("agent/pipeline/a.cc", "agent/engine/engine.h"),
            ("collector/cli/record.cc", "agent/pipeline/pipeline.h"),
            ("collector/main.cc", "collector/ingest/check.h"),
            ("agent/base/a.cc", "sys/stat.h"),
            ("agent/bpf/a.h", "probes/abi/common.h"),
        ]:
            self.accepts(path, include)


if __name__ == "__main__":
    unittest.main()
