#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Are the results files what doc/results.schema.json says? Runs the benchmarks
# in several ways with little memory and validates what each writes; then
# damages a valid file in every way that a reader must be safe from and expects
# the schema, or the few rules that a schema cannot express, to refuse it.
#
# TAP on standard output. KVMETER_OUT names the directory of the build.

import copy
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.abspath(__file__)) + "/../.."
OUT = os.environ.get("KVMETER_OUT", "build/" + os.uname().machine)
TESTS = OUT + "/tests/"
U64_MAX = 2**64 - 1

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP no python3-jsonschema: apt-get install python3-jsonschema")
    sys.exit(0)
if not os.access("/dev/kvm", os.R_OK | os.W_OK):
    print("1..0 # SKIP /dev/kvm cannot be used here")
    sys.exit(0)

os.chdir(ROOT)
with open("doc/results.schema.json") as f:
    SCHEMA = json.load(f)
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

printed = 0
failed = 0


def result(ok, name, *why):
    global printed, failed
    printed += 1
    failed += not ok
    print("%s %d - %s" % ("ok" if ok else "not ok", printed, name))
    for line in why if not ok else ():
        print("# " + str(line).replace("\n", "\n# "))
    sys.stdout.flush()


def skip(name, why):
    global printed
    printed += 1
    print("ok %d - %s # SKIP %s" % (printed, name, why))


# ---- reading: stricter than json.load() ----


def unique(pairs):
    keys = [key for key, value in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice among " + ", ".join(keys))
    return dict(pairs)


def no_fraction(text):
    raise ValueError("%s is not an integer" % text)


def read(text):
    return json.loads(text, object_pairs_hook=unique, parse_float=no_fraction,
                      parse_constant=no_fraction)


# ---- what a schema cannot express ----


def point_faults(doc, point):
    vcpus = point["config"]["vcpus"]
    names = [m["name"] for m in point["metrics"]]
    swept = doc["config"]

    if vcpus not in swept["vcpus"] or point["config"]["bytes"] not in swept["bytes"]:
        yield "a point that config does not ask for"
    if len(set(names)) != len(names):
        yield "a metric stands twice"
    checks = [c["name"] for c in point["checks"]]
    if len(set(checks)) != len(checks):
        yield "a check stands twice"
    for m in point["metrics"]:
        runs = m.get("samples_of_runs", [m.get("samples_per_run", 1)])
        left = len(m["samples"]) - sum(runs)
        if left < 0 or "samples_per_run" in m and len(m["samples"]) % runs[0]:
            yield "%s: fewer samples than its runs have" % m["name"]
        if left and doc["reason"] is None and "samples_of_runs" in m:
            yield "%s: samples of no run" % m["name"]
        per_vcpu = m.get("vcpu_samples")
        if per_vcpu is None:
            continue
        if len(per_vcpu) != len(m["samples"]):
            yield "%s: vcpu_samples for other samples" % m["name"]
        for sample, times in zip(m["samples"], per_vcpu):
            if len(times) != vcpus:
                yield "%s: times of %d vCPUs" % (m["name"], len(times))
            if max(times) != sample:
                yield "%s: the sample is not the last arrival" % m["name"]
    # all that ended with the vCPUs' arrival; and other times of this process
    phases = {m["name"] for m in point["metrics"] if "vcpu_samples" in m}
    if not phases <= set(point["usage"]) <= set(names):
        yield "usage is not that of the timed metrics"
    if doc["reason"] is None and not set(point["stats"]) <= set(names):
        yield "statistics of no metric"


def faults(doc):
    found = [
        "/".join(map(str, e.absolute_path)) + ": " + e.message
        for e in VALIDATOR.iter_errors(doc)
    ]
    if not found:
        for point in doc["points"]:
            found += point_faults(doc, point)
    return found


# ---- good files ----


def invoke(command, to):
    """Exit code, the JSON text, and everything else that was printed."""
    with tempfile.TemporaryDirectory() as scratch:
        path = scratch + "/results.json"
        argv = command.split() + ["--json", "-" if to == "-" else path]
        argv[0] = TESTS + argv[0]
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=300)
        if to == "-":
            return done.returncode, done.stdout, done.stderr
        try:
            with open(path) as f:
                text = f.read()
        except OSError as e:
            text = str(e)
        left = [name for name in os.listdir(scratch) if name != "results.json"]
        if left:
            text = "left behind: " + ", ".join(left)
        return done.returncode, text, done.stdout + done.stderr


def expect(command, code, verdict, to="file", also=None):
    name = "%s --json %s" % (command.strip(), to)
    found, text, other = invoke(command, to)
    try:
        doc = read(text)
    except ValueError as e:
        result(False, name, e, text[:300], other)
        return None
    why = faults(doc)
    if found != code:
        why.append("exit code %d, not %d" % (found, code))
    if doc.get("verdict") != verdict:
        why.append("verdict %s, not %s" % (doc.get("verdict"), verdict))
    if not why and also and not also(doc):
        why.append("it does not hold what was asked for")
    result(not why, name, *(why + [other] if why else []))
    return doc


def has_fault(doc):
    return any(c["result"] == "not ok" for p in doc["points"] for c in p["checks"])


def nr_points(nr):
    return lambda doc: len(doc["points"]) == nr


def work_is(wanted):
    """Pages that one thread goes through, by metric; 64K are 16 pages."""
    def judge(doc):
        found = {m["name"]: m.get("thread_accesses") for m in doc["points"][0]["metrics"]}
        return all(found[name] == pages for name, pages in wanted.items())

    return judge


def lacks_userfaultfd():
    """Whether nobody answers faults of KVM for this user."""
    allowed = "/proc/sys/vm/unprivileged_userfaultfd"
    if os.geteuid() == 0 or os.access("/dev/userfaultfd", os.W_OK) or not os.path.exists(allowed):
        return False
    with open(allowed) as f:
        return f.read().strip() == "0"


def unreserved_hugetlb():
    """An explicit size of which too few pages are free; then how many to ask for."""
    base = "/sys/kernel/mm/hugepages/"
    for entry in sorted(os.listdir(base) if os.path.isdir(base) else []):
        kib = int(re.sub("[^0-9]", "", entry))
        if kib not in (2048, 1048576):
            continue
        with open(base + entry + "/free_hugepages") as f:
            free = int(f.read())
        name = "2mb" if kib == 2048 else "1gb"
        return "anonymous_hugetlb_" + name, (free + 1) * kib
    return None, 0


def good_files():
    pt = "page_table_test -b 64K --runs 2 "
    dl = "dirty_log_perf_test -b 64K --runs 2 "
    lt = "dirty_log_test -b 256K -i 8 "
    ap = "async_pf_test -b 64K --runs 2 "
    mz = "memslot_zap_test -b 64K --runs 2 "

    valid = expect(pt + "-v 2", 0, "pass")
    expect(pt, 0, "pass", to="-")
    expect(pt + "-v 1,2 -b 64K,128K", 0, "pass", also=nr_points(4))
    expect(pt + "-u --access split --slots 2 -i 2", 0, "pass")
    expect(pt + "-v 4 --access split", 0, "pass",
           also=work_is({"create": 4, "log_on": 16, "update": 4}))
    expect(pt + "-v 4", 0, "pass", also=work_is({"create": 16, "log_on": 16}))
    expect(pt + "--guest-page 4K --gpa 32G --no-prefault", 0, "pass",
           also=lambda d: d["config"]["gpa"] == 32 << 30 and not d["config"]["prefault"])
    expect(pt + "--inject wrong-count", 1, "fail", also=has_fault)
    expect(pt + "--inject lost-page --verbose", 1, "fail", also=has_fault)

    expect(dl + "-v 2 -x 2", 0, "pass")
    expect(dl + "-a -w 30 -o -v 2", 0, "pass", to="-")
    expect(dl + "-g", 0, "pass")
    expect(dl + "-i 1", 0, "pass")
    expect(dl + "-v 1-2 -b 512K -j -k 256K -l 1 -i 2", 0, "pass", also=nr_points(2))
    expect(dl + "--inject extra-page", 1, "fail", also=has_fault)
    expect(dl + "-M all --stalls 2", 0, "pass",
           also=lambda d: len({p["config"]["log_mode"] for p in d["points"]}) >= 2
           and all(m["histogram"]["vcpus"] for p in d["points"] for m in p["metrics"]
                   if m["name"] == "stall"))
    if os.geteuid() == 0 and os.path.exists("/sys/kernel/tracing/events/lock"):
        expect(dl + "-v 4 -b 1M -j -i 5 --clearers 2 --lock-wait", 0, "pass",
               also=lambda d: all("locks" in m for m in d["points"][0]["metrics"]
                                  if not re.search("_p99", m["name"])))
    else:
        skip("waits for locks", "needs root and tracefs")
    expect(lt + "-v 2 --disturb nothing", 0, "pass")
    expect(lt + "--inject lose-bit --one-in 1", 1, "fail", also=has_fault)

    if lacks_userfaultfd():
        skip("async_pf_test", "no permission for userfaultfd")
    else:
        expect(ap + "-v 2", 0, "pass")
        expect(ap + "--load touch,chase,sort --slow uffd:50", 0, "pass", also=nr_points(3))
        expect(ap + "--inject lost-token", 1, "fail", also=has_fault)

    expect("tlb_stress_test --processes 3 --runs 2 -v 2 --invalidate page,switch", 0, "pass",
           also=nr_points(2))
    expect("tlb_stress_test --processes 3 --runs 2 --inject wrong-content", 1, "fail",
           also=has_fault)
    expect("tlb_stress_test --processes 3 --runs 2 --inject no-invalidate", 1, "fail", to="-")

    expect(mz + "-v 2 --op none,toggle,move,flags", 0, "pass", also=nr_points(4))
    expect(mz + "--by host --rate 1000 -i 2 --stalls 0", 0, "pass")
    expect(mz + "--inject lost-write", 1, "fail", also=has_fault)

    backing, kib = unreserved_hugetlb()
    if backing:
        hungry = "-s %s -b %dK" % (backing, kib)
        expect("page_table_test " + hungry, 4, "skip")
        expect("dirty_log_perf_test " + hungry, 4, "skip", to="-")
    else:
        skip("an explicit hugetlb size", "this kernel has neither 2M nor 1G")
    return valid


# ---- damaged files ----


def put(*path):
    """Replaces what is at path[:-1] by path[-1]."""
    *where, last, value = path

    def damage(doc):
        for key in where:
            doc = doc[key]
        doc[last] = value

    return damage


def drop(*path):
    *where, last = path

    def damage(doc):
        for key in where:
            doc = doc[key]
        del doc[last]

    return damage


POINT = ("points", 0)
METRIC = POINT + ("metrics", 0)
CHECK = POINT + ("checks", 0)
USAGE = POINT + ("usage", "create")

DAMAGES = [
    ("another schema", put("schema", "kvmeter/2")),
    ("no schema", drop("schema")),
    ("a member that nobody knows", put("extra", 1)),
    ("no point in a pass", put("points", [])),
    ("a point in a skip", put("verdict", "skip")),
    ("a failure without a failed check", put("verdict", "fail")),
    ("an unknown verdict", put("verdict", "passed")),
    ("a reason for a pass", put("reason", "it was late")),
    ("no reason member", drop("reason")),
    ("a time without its zone", put("started", "2026-01-01T00:00:00")),
    ("a boot id that is none", put("boot_id", "unknown")),
    ("an empty list of vCPUs", put("config", "vcpus", [])),
    ("no backing source", drop("config", "backing")),
    ("a size as text", put("config", "bytes", ["64K"])),
    ("an option that is an object", put("config", "new_option", {})),
    ("a guessed fact", put("host", "cpus", "two")),
    ("a host fact missing", drop("host", "governor")),
    ("a host fact too many", put("host", "mood", "fair")),
    ("a module parameter as a number", put("host", "kvm", "parameters", {"kvm.x": 1})),
    ("a metric without samples", put(*METRIC, "samples", [])),
    ("a metric without direction", drop(*METRIC, "better")),
    ("a unit that is none", put(*METRIC, "unit", "ms")),
    ("a negative sample", put(*METRIC, "samples", 0, -1)),
    ("a sample beyond 64 bits", put(*METRIC, "samples", 0, U64_MAX + 1)),
    ("a sample that is null", put(*METRIC, "samples", 0, None)),
    ("a sample taken away", lambda d: d["points"][0]["metrics"][0]["samples"].pop()),
    ("a vCPU taken away", lambda d: d["points"][0]["metrics"][0]["vcpu_samples"][0].pop()),
    ("a sample that no vCPU took", put(*METRIC, "samples", 0, 1)),
    ("a metric twice", lambda d: d["points"][0]["metrics"].append(d["points"][0]["metrics"][0])),
    ("samples of runs that there are not", put(*METRIC, "samples_per_run", 4)),
    ("runs told twice", put(*METRIC, "samples_of_runs", [1, 1])),
    ("a result that is none", put(*CHECK, "result", "maybe")),
    ("a failed check in a pass", put(*CHECK, "result", "not ok")),
    ("a proven check that says nothing", put(*CHECK, "detail", None)),
    ("a check without a name", drop(*CHECK, "name")),
    ("usage in another unit", put(*USAGE, "user_ms", 1)),
    ("usage missing", drop(*USAGE)),
    ("a statistic as text", put(*POINT, "stats", "create", {"pages_4k": "16"})),
    ("a point of another sweep", put(*POINT, "config", "vcpus", 3)),
    ("a swept option that is none", put(*POINT, "config", "slots", 1)),
]

DAMAGED_TEXT = [
    ("half a file", lambda t: t[: len(t) // 2]),
    ("an empty file", lambda t: ""),
    ("a fraction", lambda t: t.replace('"slots": 1', '"slots": 1.5')),
    ("a float that is whole", lambda t: t.replace('"slots": 1', '"slots": 1.0')),
    ("NaN", lambda t: t.replace('"slots": 1', '"slots": NaN')),
    ("a member twice", lambda t: t.replace('"slots": 1', '"slots": 1, "slots": 1')),
]


def refused(text):
    try:
        return bool(faults(read(text)))
    except ValueError:
        return True


def damaged_files(valid):
    text = json.dumps(valid)
    result(not refused(text), "the undamaged file passes")
    for name, damage in DAMAGES:
        doc = copy.deepcopy(valid)
        damage(doc)
        result(refused(json.dumps(doc)), "refused: " + name)
    for name, damage in DAMAGED_TEXT:
        result(damage(text) != text and refused(damage(text)), "refused: " + name)


valid = good_files()
if valid:
    damaged_files(valid)
print("1..%d" % printed)
sys.exit(failed != 0)
