"""The count of tests bites: what did not run, was skipped in CI, or never reached ctest is a failure."""
import sys
import unittest

from house import MadeTree, SOURCE_ROOT

sys.path.insert(0, str(SOURCE_ROOT / "tests/support"))
import check_results  # noqa: E402  (found through the path set above)

PASSED = '<testcase name="A.Passes" status="run"/>'
FAILED = '<testcase name="A.Fails" status="fail"><failure message=""/></testcase>'
SKIPPED = '<testcase name="A.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
SKIPPED += "<system-out>a_test.cc:7: Skipped\nneeds root\n</system-out></testcase>"
NO_PROGRAM = '<testcase name="A.Gone" status="notrun"><skipped message="Unable to find executable"/></testcase>'
NOT_BUILT = '<testcase name="fault_tests_NOT_BUILT" status="notrun"/>'


def judge(*cases, expected, in_ci=True):
    return check_results.judge(f"<testsuite>{''.join(cases)}</testsuite>", expected, in_ci)


class CheckResults(unittest.TestCase):
    def test_all_run_and_passed_is_good(self):
        self.assertEqual(judge(PASSED, expected=1), (True, "1 ran, 0 failed, 0 skipped, 1 in the sources"))

    def test_failures_and_tests_that_never_ran_are_bad(self):
        self.assertFalse(judge(PASSED, FAILED, expected=2)[0])
        self.assertFalse(judge(PASSED, NOT_BUILT, expected=1)[0])
        self.assertFalse(judge(PASSED, NO_PROGRAM, expected=1, in_ci=False)[0])
        self.assertFalse(judge(PASSED, expected=2)[0])

    def test_a_skip_is_bad_in_ci_only(self):
        self.assertFalse(judge(PASSED, SKIPPED, expected=2, in_ci=True)[0])
        self.assertTrue(judge(PASSED, SKIPPED, expected=2, in_ci=False)[0])
        self.assertIn("A.Skips (needs root)", judge(PASSED, SKIPPED, expected=2, in_ci=False)[1])

    def test_tests_are_counted_in_the_sources(self):
        text = "TEST(A, One) {}\nTEST_F(B, Two) {}\n  // TEST(C, NotOne)\nTEST_P(D, Three) {}\n"
        files = {"tests/unit/x/a_test.cc": text, "tests/unit/x/b_test.py": "", "tests/fault/c_test.cc": text}
        with MadeTree(files) as root:
            self.assertEqual(check_results.expected_count(root, "unit"), 4)
            self.assertEqual(check_results.expected_count(root, "fault"), 3)


if __name__ == "__main__":
    unittest.main()
