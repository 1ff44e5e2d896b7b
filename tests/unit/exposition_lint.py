"""A second reader of Prometheus' text format, written from its specification, and promtool's lint rules.

Source: "Exposition formats" and "Metric and label naming" of the Prometheus documentation; promlint in client_golang.
"""

from __future__ import annotations

import re
from collections import defaultdict

Sample = tuple[str, tuple[tuple[str, str], ...]]

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{((?:{_LABEL}(?:,|(?=\}})))*)\}})? (\S+)(?: -?\d+)?")
_ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
_SUFFIXES = ("_bucket", "_count", "_sum")
_OTHER_UNITS = (
    "ms",
    "milliseconds",
    "minutes",
    "hours",
    "days",
    "kb",
    "kilobytes",
    "mb",
    "megabytes",
    "bits",
    "percent",
)
_TYPES = ("counter", "gauge", "histogram", "summary", "untyped")


def parse(text: str) -> tuple[dict[str, tuple[str, str]], dict[Sample, float]]:
    """Return (type, help) by family and the value by name and sorted labels.

    Raises:
        ValueError: naming the line that is not in the format.
    """
    families: dict[str, tuple[str, str]] = {}
    samples: dict[Sample, float] = {}
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text.removesuffix("\n").split("\n"):
        if comment := re.fullmatch(rf"# (HELP|TYPE) ({_NAME}) (.*)", line):
            kind, help_text = families.get(comment[2], ("", ""))
            if comment[1] == "TYPE" and (
                kind or comment[3] not in _TYPES or any(_belongs(n, comment[2]) for n, _ in samples)
            ):
                raise ValueError(f"type told twice, unknown or late: {line}")
            families[comment[2]] = (comment[3], help_text) if comment[1] == "TYPE" else (kind, comment[3])
            continue
        match = _SAMPLE.fullmatch(line)
        if match is None:
            raise ValueError(f"no sample: {line}")
        pairs = re.findall(_LABEL, match[2] or "")
        labels = tuple(sorted((name, re.sub(r"\\.", lambda m: _ESCAPES[m[0]], value)) for name, value in pairs))
        if len(dict(labels)) != len(labels) or (match[1], labels) in samples:
            raise ValueError(f"a label or series twice: {line}")
        samples[match[1], labels] = float(match[5])
    return families, samples


def _belongs(sample: str, family: str) -> bool:
    return sample == family or (sample.startswith(family) and sample[len(family) :] in _SUFFIXES)


def lint(text: str) -> list[str]:
    """Return what promtool would complain about, a sentence each."""
    families, samples = parse(text)
    problems = []
    for name, (kind, help_text) in families.items():
        words = name.split("_")
        if not help_text:
            problems.append(f"{name}: no help")
        if (kind == "counter") != name.endswith("_total"):
            problems.append(f"{name}: a counter, and nothing else, ends in _total")
        if set(words) & set(_OTHER_UNITS):
            problems.append(f"{name}: not in a base unit")
        if set(words) & set(_TYPES):
            problems.append(f"{name}: its type is in its name")
        if re.search(r"[a-z][A-Z]", name) or any(
            re.search("[A-Z]", label) for _, labels in samples for label, _ in labels
        ):
            problems.append(f"{name}: camelCase, or a label with capitals")
        if kind != "histogram" and name.endswith(_SUFFIXES):
            problems.append(f"{name}: a suffix of histograms")
        if kind == "histogram":
            problems += _histogram_problems(name, samples)
    untyped = [name for name, _ in samples if not any(_belongs(name, family) for family in families)]
    return problems + [f"{name}: no type" for name in untyped]


def _histogram_problems(name: str, samples: dict[Sample, float]) -> list[str]:
    buckets: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = defaultdict(list)
    for (sample, labels), value in samples.items():
        if sample == f"{name}_bucket":
            rest = tuple(pair for pair in labels if pair[0] != "le")
            buckets[rest].append((float(dict(labels)["le"]), value))
    problems = []
    for labels, found in buckets.items():
        counts = [count for _, count in sorted(found)]
        if counts != sorted(counts):
            problems.append(f"{name}: its buckets are not cumulative")
        if max(found)[0] != float("inf") or counts[-1] != samples.get((f"{name}_count", labels)):
            problems.append(f"{name}: the last bucket is not the count")
        if (f"{name}_sum", labels) not in samples:
            problems.append(f"{name}: no sum")
    return problems
