"""Rules a file can break by itself: its length, its licence, and needing a running kernel's BTF."""
import re
import unittest

from house import MadeTree, SOURCE_ROOT, own_files

MOST_LINES = 300
BPF_LICENCE = "SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
VMLINUX = re.compile(r'#\s*include\s*["<][^">]*vmlinux\.h')


def shared_with_kernel(path):
    """Compiled into BPF programs: *.bpf.c, *.bpf.h and the shared headers below probes/."""
    return path.startswith("probes/") and path.endswith((".bpf.c", ".h"))


def faults(root):
    found = []
    for path in own_files(root):
        text = (root / path).read_text()
        lines = text.count("\n")
        if lines > MOST_LINES:
            found.append(f"{path}: {lines} lines; split it, {MOST_LINES} is the limit")
        if shared_with_kernel(path) and BPF_LICENCE not in text.split("\n", 1)[0]:
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

    def test_vmlinux_h_is_rejected(self):
        self.assertIn("BTF", self.only_fault("agent/bpf/a.h", '#include "vmlinux.h"\n'))

    def test_licence_texts_are_there(self):
        for name in ("LICENSE", "LICENSES/GPL-2.0-only.txt", "LICENSES/BSD-2-Clause.txt"):
            self.assertTrue((SOURCE_ROOT / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
