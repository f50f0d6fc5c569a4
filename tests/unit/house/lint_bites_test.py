"""The format and tidy gates bite: a file with known faults is refused by each, a clean one is not."""
import shutil
import subprocess
import unittest

from house import MadeTree, SOURCE_ROOT

BADLY_FORMATTED = "int   F( int a ){return a;}\n"
WELL_FORMATTED = "int F(int a) { return a; }\n"

# One fault per check that we rely on: name, size of a function, null, override, uninitialised.
LONG_BODY = "".join(f"  total += {i};\n" for i in range(60))
FAULTS = {
    "readability-identifier-naming": "int badly_named() { return 1; }\n",
    "readability-function-size": f"int F() {{\n  int total = 0;\n{LONG_BODY}  return total;\n}}\n",
    "clang-analyzer-core.NullDereference": (
        "int F(bool b) {\n  int* p = nullptr;\n  int x = 3;\n  if (b) p = &x;\n  return *p;\n}\n"
    ),
    "modernize-use-nullptr": "int* F() { return 0; }\n",
    "modernize-use-override": "struct A { virtual void F(); virtual ~A(); };\nstruct B : A { void F(); };\n",
    "bugprone-use-after-move": (
        "#include <string>\n#include <utility>\n"
        "std::string F(std::string a) {\n  std::string b = std::move(a);\n  return a + b;\n}\n"
    ),
}
CLEAN = "int AddOne(int number) { return number + 1; }\n"


def config():
    return {name: (SOURCE_ROOT / name).read_text() for name in (".clang-format", ".clang-tidy")}


def run(root, *command):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


class LintBites(unittest.TestCase):
    def tidy(self, text):
        with MadeTree({**config(), "agent/bad.cc": text}) as root:
            return run(root, "clang-tidy", "--quiet", "agent/bad.cc", "--", "-std=c++20")

    def format(self, text):
        with MadeTree({**config(), "agent/bad.cc": text}) as root:
            return run(root, "clang-format", "--dry-run", "--Werror", "agent/bad.cc")

    def setUp(self):
        for program in ("clang-format", "clang-tidy"):
            if not shutil.which(program):
                self.fail(f"{program} is not installed; packaging/dependencies install test")

    def test_clang_format_refuses_a_badly_formatted_file(self):
        self.assertNotEqual(self.format(BADLY_FORMATTED).returncode, 0)
        self.assertEqual(self.format(WELL_FORMATTED).returncode, 0)

    def test_clang_tidy_refuses_each_known_fault(self):
        for check, text in FAULTS.items():
            result = self.tidy(text)
            self.assertNotEqual(result.returncode, 0, check)
            self.assertIn(check, result.stdout)

    def test_clang_tidy_accepts_a_clean_file(self):
        result = self.tidy(CLEAN)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
