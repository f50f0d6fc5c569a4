"""Rules a file can break by itself: its length, its licence, and needing a running kernel's BTF."""
import re
import unittest

from house import MadeTree, SOURCE_ROOT, own_files

MOST_LINES = 300
BPF_LICENCE = "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
VMLINUX = re.compile(r'#\s*include\s*["<][^">]*vmlinux\.h')


INCLUDE = re.compile(r'^\s*#\s*include\s*"(probes/[^"]+)"', re.MULTILINE)


def compiled_for_kernel(root):
    """BPF programs and every header of ours they include, at any depth."""
    waiting = [p for p in own_files(root, ("probes",)) if p.endswith(".bpf.c")]
    found = set()
    while waiting:
        path = waiting.pop()
        if path not in found and (root / path).is_file():
            found.add(path)
            waiting += INCLUDE.findall((root / path).read_text())
    return found


def faults(root):
    found = []
    for_kernel = compiled_for_kernel(root)
    for path in own_files(root):
        text = (root / path).read_text()
        lines = text.count("\n")
        if lines > MOST_LINES:
            found.append(f"{path}: {lines} lines; split it, {MOST_LINES} is the limit")
        if path in for_kernel and BPF_LICENCE not in text.split("\n", 1)[0]:
            found.append(f'{path}: its first line must hold "{BPF_LICENCE}"')
        if not path.endswith(".py") and VMLINUX.search(text):
            found.append(f"{path}: includes vmlinux.h; the build must not need a running kernel's BTF")
    return found


class FileRules(unittest.TestCase):
    def only_fault(self, path, text):
        with MadeTree({path: text}) as root:
            found = faults(root)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_our_tree_keeps_them(self):
        self.assertGreater(len(own_files(SOURCE_ROOT)), 10, "the sources were not found")
        self.assertEqual(faults(SOURCE_ROOT), [])

    def test_a_long_file_is_rejected_and_one_at_the_limit_is_not(self):
        self.assertIn("301 lines", self.only_fault("agent/base/a.cc", "\n" * 301))
        with MadeTree({"agent/base/a.cc": "\n" * 300}) as root:
            self.assertEqual(faults(root), [])

    def test_a_bpf_program_without_licence_is_rejected(self):
        self.assertIn("SPDX", self.only_fault("probes/cpu/cpu.bpf.c", "// cpu\n"))
        with MadeTree({"probes/cpu/cpu.bpf.c": f"// {BPF_LICENCE}\n"}) as root:
            self.assertEqual(faults(root), [])

    def test_a_header_of_a_bpf_program_without_licence_is_rejected(self):
        files = {
            "probes/cpu/cpu.bpf.c": f'// {BPF_LICENCE}\n#include "probes/cpu/cpu.h"\n',
            "probes/cpu/cpu.h": "// cpu\n",
            "probes/probe.h": "// only for C++\n",
        }
        with MadeTree(files) as root:
            found = faults(root)
        self.assertEqual([f.split(":")[0] for f in found], ["probes/cpu/cpu.h"])

    def test_vmlinux_h_is_rejected(self):
        self.assertIn("BTF", self.only_fault("agent/bpf/a.h", '#include "vmlinux.h"\n'))

    def test_licence_texts_are_there(self):
        for name in ("LICENSE", "LICENSES/GPL-2.0-only.txt", "LICENSES/BSD-2-Clause.txt"):
            self.assertTrue((SOURCE_ROOT / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
