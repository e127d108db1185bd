#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Statistics of lib/ against SciPy's and NumPy's, or against the definition
# where those have none, over made-up sets of all sizes with and without ties:
# to 1e-9, the bootstrap within its Monte-Carlo error.
#
# TAP on standard output. KVMETER_OUT names the directory of the build.

import itertools
import json
import math
import os
import subprocess
import sys
import warnings

try:
    import numpy as np
    from scipy import stats
except ImportError:
    print("1..0 # SKIP no python3-scipy: apt-get install python3-scipy")
    sys.exit(0)

OUT = os.environ.get("KVMETER_OUT", "build/" + os.uname().machine)
RNG = np.random.default_rng(20261130)
SIZES = [(1, 1), (1, 5), (2, 2), (3, 4), (5, 5), (5, 5), (5, 9), (6, 6), (6, 6),
         (7, 7), (7, 7), (9, 9), (10, 10), (4, 12), (19, 19), (19, 3), (19, 60),
         (20, 19), (20, 20), (20, 40), (40, 40), (100, 101), (5, 300)]
RESAMPLES = 9999
# SciPy on sets that are almost equal in one half of a division.
warnings.filterwarnings("ignore", "Precision loss")

printed = 0
failed = 0


def result(name, faults):
    global printed, failed
    printed += 1
    failed += bool(faults)
    print("%s %d - %s" % ("not ok" if faults else "ok", printed, name))
    for fault in faults[:10]:
        print("# " + fault)


def near(name, value, expected):
    """A fault, or nothing, as a list."""
    if math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12):
        return []
    return ["%s: %.17g is not %.17g" % (name, value, expected)]


# ---- other ways ----


def exact_p(a, b):
    """Twice the smaller tail of all divisions, by enumeration or by SciPy's."""
    pooled = stats.rankdata(np.concatenate([a, b]))
    if len(set(pooled)) == len(pooled):
        return stats.mannwhitneyu(a, b, method="exact").pvalue
    n = min(len(a), len(b))
    small = pooled[:len(a)] if len(a) <= len(b) else pooled[len(a):]
    if math.comb(len(pooled), n) > 20000:
        return None
    sums = np.array([sum(c) for c in itertools.combinations(pooled, n)])
    below = np.mean(sums <= small.sum() + 1e-6)
    above = np.mean(sums >= small.sum() - 1e-6)
    return min(1, 2 * min(below, above))


def counted_p(a, b):
    """The same for larger sets: sums of doubled midranks, in whole numbers."""
    ranks = [int(2 * r) for r in stats.rankdata(np.concatenate([a, b]))]
    ways = {(0, 0): 1}
    for rank in ranks:
        more = dict(ways)
        for (k, total), count in ways.items():
            if k < len(a):
                key = (k + 1, total + rank)
                more[key] = more.get(key, 0) + count
        ways = more
    at = sum(ranks[:len(a)])
    sums = {t: n for (k, t), n in ways.items() if k == len(a)}
    below = sum(n for t, n in sums.items() if t <= at)
    above = sum(n for t, n in sums.items() if t >= at)
    return min(1, 2 * min(below, above) / sum(sums.values()))


def critical(a, b, exact):
    """The smallest U with p <= 0.01 of sets without ties."""
    most = len(a) * len(b)
    found = -1
    if exact:
        values = np.arange(most + 1)
        tails = [stats.mannwhitneyu(*split_with(len(a), len(b), u), method="exact",
                                    alternative="greater").pvalue for u in values]
        good = [u for u, p in zip(values, tails) if 2 * p <= 0.01]
        return min(good) if good else -1
    for u in range(most, most // 2, -1):
        sd = math.sqrt(most * (len(a) + len(b) + 1) / 12)
        if 2 * stats.norm.sf((u - most / 2 - 0.5) / sd) > 0.01:
            break
        found = u
    return found


def split_with(n, m, u):
    """Sets of n and m without ties whose U is u."""
    b = np.arange(m) * 2.0
    a = np.empty(n)
    for i in range(n):
        below = min(m, u)
        u -= below
        a[i] = 2 * below - 1 + i / (10.0 * n)
    return a, b


def bootstrap_band(a, b, tail):
    """Where the end of such an interval may lie: five standard errors."""
    draws = 20000
    medians = [np.median(v[RNG.integers(0, len(v), (draws, len(v)))], axis=1)
               for v in (a, b)]
    ratios = np.sort(medians[1] / medians[0])
    error = 5 * math.sqrt(tail * (1 - tail) * (1 / RESAMPLES + 1 / draws))
    low, high = np.clip([tail - error, tail + error], 0, 1)
    return (ratios[int(low * (draws - 1))], ratios[int(math.ceil(high * (draws - 1)))])


def holm(p):
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(1, (len(p) - np.arange(len(p))) * np.array(p)[order])
    back = np.empty(len(p))
    back[order] = np.maximum.accumulate(adjusted)
    return back


def joint(pair, other):
    """p of the first of two metrics, and the |t| that is critical at 0.05."""
    n = len(pair[0])
    runs = np.array([np.concatenate(pair), np.concatenate(other)])
    largest = []
    for chosen in itertools.combinations(range(runs.shape[1]), n):
        rest = [i for i in range(runs.shape[1]) if i not in chosen]
        t = stats.ttest_ind(runs[:, chosen], runs[:, rest], axis=1).statistic
        largest.append(np.abs(t).max())
    t = abs(stats.ttest_ind(*pair).statistic)
    largest = np.sort(largest)
    return (np.mean(largest >= t * (1 - 1e-9)),
            largest[len(largest) - int(0.05 * len(largest))])


# ---- judgements ----


def small_sample_factor(n):
    table = {1: 0, 2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140,
             8: 1.129, 9: 1.107}
    return table.get(n, n / (n - 0.8))


def set_faults(v, got):
    mad = stats.median_abs_deviation(v)
    normal = stats.median_abs_deviation(v, scale="normal")
    scale = normal or math.sqrt(math.pi / 2) * np.mean(np.abs(v - np.median(v)))
    outliers = np.abs(v - np.median(v)) > 3.5 * scale
    return (near("median", got["median"], np.median(v))
            + near("MAD", got["mad"], mad)
            + near("deviation", got["deviation"], normal * small_sample_factor(len(v)))
            + ([] if got["outliers"] == outliers.astype(int).tolist()
               else ["outliers: %s" % got["outliers"]]))


def expected_p(a, b):
    """p, and whether it is the exact one."""
    if min(len(a), len(b)) < 20 and len(a) + len(b) <= 200:
        p = exact_p(a, b)
        return (counted_p(a, b) if p is None else p), True
    if len(set(np.concatenate([a, b]))) == 1:
        return 1, False
    return stats.mannwhitneyu(a, b, method="asymptotic").pvalue, False


def rank_faults(a, b, got):
    p, exact = expected_p(a, b)
    return (near("p", got["p"], p)
            + near("U", got["u"], stats.mannwhitneyu(a, b).statistic)
            + ([] if got["exact"] == exact else ["exact: %s" % got["exact"]]))


def student_faults(p, df, got):
    quantile = stats.t.isf(0.0001 + 0.9998 * p, df)
    return (near("Student's t", got["upper"], stats.t.sf(10 * p - 5, df))
            + ([] if math.isclose(got["quantile"], quantile, rel_tol=1e-7, abs_tol=1e-7)
               else ["quantile of t: %.17g is not %.17g" % (got["quantile"], quantile)]))


def interval_faults(a, b, got):
    faults = []
    for end, tail in (("low", 0.025), ("high", 0.975)):
        least, most = bootstrap_band(a, b, tail)
        if not least * (1 - 1e-12) <= got[end] <= most * (1 + 1e-12):
            faults.append("%s: %g is not in %g..%g" % (end, got[end], least, most))
    return faults


def values_of(pairs):
    lines = []
    for a, b, p in pairs:
        for numbers in (a, b, p):
            lines.append(" ".join("%.17g" % x for x in numbers))
    done = subprocess.run([OUT + "/check/stats/values"], input="\n".join(lines) + "\n",
                          stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line.replace("inf", "Infinity"))
            for line in done.stdout.splitlines()]


def made_up():
    for n, m in SIZES:
        for kind in ("continuous", "ties", "equal", "far"):
            a, b = (np.exp(RNG.normal(3, 0.3, k)) for k in (n, m))
            if kind == "ties":
                a, b = np.round(a / 5) + 1, np.round(b / 5) + 2
            elif kind == "equal":
                a, b = np.full(n, 7.0), np.full(m, 7.0)
            elif kind == "far":
                b = b * 4
                b[0] *= 50
            p = RNG.random(RNG.integers(1, 9)) ** 3
            p[RNG.integers(0, len(p))] = p[0]
            yield "%d and %d, %s" % (n, m, kind), a, b, p


sets = list(made_up())
got = values_of([s[1:] for s in sets])
result("an answer for each pair", [] if len(got) == len(sets) else [str(len(got))])
previous = None
for (name, a, b, p), values in zip(sets, got):
    faults = set_faults(a, values["a"]) + set_faults(b, values["b"])
    faults += rank_faults(a, b, values)
    faults += student_faults(p[0], len(a), values)
    if "low" in values:
        faults += interval_faults(a, b, values)
    for value, expected in zip(values["holm"], holm(p)):
        faults += near("Holm", value, expected)
    if "joint_p" in values and len(a) + len(b) <= 12 and len(set(a)) > 2 \
            and len(set(previous[0])) > 2:
        joint_p, joint_critical = joint((a, b), previous)
        faults += near("joint p", values["joint_p"], joint_p)
        faults += near("joint critical", values["joint_critical"], joint_critical)
    if name.endswith("continuous") and (len(a) * len(b) <= 100 or len(a) >= 20):
        faults += near("critical", values["critical"], critical(a, b, values["exact"]))
    result(name, faults)
    previous = (a, b)

# The same judgements of what is wrong.
name, a, b, p = next(s for s in sets if s[0] == "7 and 7, continuous")
values = values_of([(a, b, p)])[0]
for key, judge in (("p", rank_faults), ("u", rank_faults), ("low", interval_faults),
                   ("high", interval_faults)):
    wrong = dict(values)
    wrong[key] *= 1.5 if key in ("low", "high") else 1 + 1e-8
    result("a wrong %s is noticed" % key, [] if judge(a, b, wrong) else ["it is not"])
for key, factor in (("upper", 1 + 1e-8), ("quantile", 1 + 1e-6)):
    wrong = dict(values)
    wrong[key] *= factor
    result("a wrong %s is noticed" % key,
           [] if student_faults(p[0], len(a), wrong) else ["it is not"])
for key in ("median", "mad", "deviation"):
    wrong = dict(values["a"])
    wrong[key] *= 1 + 1e-8
    result("a wrong %s is noticed" % key, [] if set_faults(a, wrong) else ["it is not"])
print("1..%d" % printed)
sys.exit(failed != 0)
