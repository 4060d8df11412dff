#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/summary.py [--brief] FILE... - add up test results; --brief: failures with what they said

A FILE is a JUnit file that CTest wrote, or text. Counted are the lines `ok NAME`, `not ok NAME`
and `skip NAME: reason`; a program that prints none of them counts as one by its exit status.
The last line is `N passed, N failed, N skipped`; the exit status is 1 when something failed or
nothing ran.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

REMARKS = 20  # lines shown of what a failed case said
RESULT = re.compile(r"^(ok|not ok|skip) (\S+?)(?:: (.*))?$")


class Totals:
    def __init__(self):
        self.passed = 0
        self.failed = []  # (name, what it said)
        self.skipped = []  # (name, reason)
        self.remarks = {}  # name of a failure: the comment lines before it

    def add_line(self, kind, name, reason, where):
        if kind == "ok":
            self.passed += 1
        elif kind == "skip":
            self.skipped.append((where + name, reason or "no reason given"))
        else:
            self.failed.append((where + name, reason or ""))

    def add_text(self, text, where):
        """Count the result lines of a text; return how many of each kind there were."""
        seen = collections.Counter()
        remarks = []
        for line in text.splitlines():
            match = RESULT.match(line)
            if match:
                self.add_line(*match.groups(), where)
                seen[match.group(1)] += 1
                if match.group(1) == "not ok":
                    self.remarks[where + match.group(2)] = remarks[-REMARKS:]
                remarks = []
            elif line.startswith("#"):
                remarks.append(line)
        return seen

    def add_junit(self, path):
        # build/results-*/PRESET-KIND.xml
        preset = os.path.basename(path).rsplit("-", 1)[0]
        where = "" if preset in ("dev", "release") else preset + ":"
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            self.add_case(case, where)

    def add_case(self, case, where):
        name = case.get("name")
        output = case.findtext("system-out") or ""
        seen = self.add_text(output, where)
        state = case.get("status")
        skipped = case.find("skipped")
        if state == "fail" and not seen["not ok"]:
            seconds = float(case.get("time") or 0)
            self.failed.append((where + name, f"died or was ended after {seconds:.0f} s"))
        elif state == "run" and seen["not ok"]:
            self.failed.append((where + name, "reports a failure, yet exits 0"))
        elif state == "run" and not seen:
            self.passed += 1
        elif state != "run" and skipped is not None and not seen:
            reasons = re.findall(r"^SKIP: (.*)$", output, re.M)
            if reasons:
                self.skipped.append((where + name, reasons[-1]))
            else:
                self.failed.append((where + name, "not run: " + (skipped.get("message") or "")))

    def add(self, path):
        if path.endswith(".xml"):
            try:
                self.add_junit(path)
            except (ElementTree.ParseError, OSError) as error:
                self.failed.append((path, str(error)))
        elif os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                self.add_text(file.read(), "")

    def report(self, brief):
        for name, why in self.failed:
            if brief:
                print("".join(f"{line}\n" for line in self.remarks.get(name, ())), end="")
            print(f"failed: {name}{': ' + why if why else ''}")
        if not brief:
            by_reason = collections.defaultdict(list)
            for name, reason in self.skipped:
                by_reason[reason].append(name)
            for reason, names in sorted(by_reason.items()):
                more = f" and {len(names) - 3} more" if len(names) > 3 else ""
                print(f"skipped: {reason}: {', '.join(names[:3])}{more}")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped")


def main(arguments):
    brief = "--brief" in arguments
    totals = Totals()
    for path in arguments:
        if path != "--brief":
            totals.add(path)
    totals.report(brief)
    return 1 if totals.failed or not (totals.passed or totals.skipped) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
