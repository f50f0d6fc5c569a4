#!/usr/bin/env python3
"""Judges one run of ctest by its JUnit file: python3 check_results.py JUNIT LABEL SOURCE_ROOT

Counts what ran against what the sources hold, so that a test that was left out of the build, or whose
executable was not built, is a failure and not a silence. With CI=true a skipped test is a failure too.
Exit code 0 or 1; one line on stdout.
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

TEST_MACRO = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(", re.MULTILINE)


def expected_count(root, label):
    """Tests the sources of a label hold; parametrised ones count once, so this is the least number."""
    folder = root / "tests" / label
    written = sum(len(TEST_MACRO.findall(p.read_text())) for p in folder.rglob("*_test.cc"))
    return written + len(list(folder.glob("*/*_test.py")))


def skipped_itself(case):
    """The test said so; ctest calls it skipped as well when it found no executable."""
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")


def reason_of(case):
    """What a GoogleTest said after "Skipped"."""
    said = re.search(r"Skipped\n(.+)", case.findtext("system-out") or "")
    return said.group(1) if said else "no reason given"


def judge(junit_text, expected, in_ci):
    """(ok, line)"""
    cases = xml.etree.ElementTree.fromstring(junit_text).findall(".//testcase")
    skipped = [f"{c.get('name')} ({reason_of(c)})" for c in cases if skipped_itself(c)]
    failed = [c.get("name") for c in cases if c.find("failure") is not None]
    not_run = [
        c.get("name")
        for c in cases
        if c.get("status") != "run" and c.find("failure") is None and not skipped_itself(c)
    ]
    ran = len(cases) - len(skipped) - len(not_run)
    faults = []
    if failed:
        faults.append("failed: " + ", ".join(failed))
    if not_run:
        faults.append("not run: " + ", ".join(not_run))
    if len(cases) < expected:
        faults.append(f"only {len(cases)} of the {expected} tests in the sources are known to ctest")
    if skipped and in_ci:
        faults.append("skipped, which CI does not allow: " + ", ".join(skipped))
    notes = ["skipped: " + ", ".join(skipped)] if skipped and not in_ci else []
    line = f"{ran} ran, {len(failed)} failed, {len(skipped)} skipped, {expected} in the sources"
    return not faults, "; ".join([line] + faults + notes)


def main(junit, label, root):
    text = pathlib.Path(junit).read_text(encoding="utf-8", errors="replace")
    ok, line = judge(text, expected_count(pathlib.Path(root), label), os.environ.get("CI") == "true")
    print(f"{label}: {line}")
    return 0 if ok else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
