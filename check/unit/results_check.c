/* SPDX-License-Identifier: GPL-2.0-only */
/* The results file; python3 reads it as a stranger would. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "results.h"
#include "session.h"

static char directory[] = "/tmp/kvmeter-results-XXXXXX";

static int setup(void **state __maybe_unused)
{
	return mkdtemp(directory) ? chdir(directory) : -1;
}

static int teardown(void **state __maybe_unused)
{
	unlink("r.json");
	return chdir("/") ? -1 : rmdir(directory);
}

/* Exit code of python3 after it has read @path as d and run @code. */
static int ask_python(const char *path, const char *code)
{
	char *program = xasprintf("import json, sys\n"
				  "sys.tracebacklimit = 0\n"
				  "d = json.load(open('%s'))\n%s",
				  path, code);
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execlp("python3", "python3", "-c", program, NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	free(program);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_in_json(const char *path, const char *code)
{
	int status = ask_python(path, code);

	if (status == 127)
		fail_msg("no python3: apt-get install python3");
	assert_int_equal(status, 0);
}

static void test_python_can_refuse(void **state __maybe_unused)
{
	FILE *out = fopen("r.json", "w");

	fputs("{ \"a\": 1 }", out);
	fclose(out);
	assert_int_equal(ask_python("r.json", "assert d['a'] == 1"), 0);
	assert_int_equal(ask_python("r.json", "assert d['a'] == 2"), 1);
	assert_int_equal(truncate("r.json", 5), 0);
	assert_int_equal(ask_python("r.json", ""), 1);
}

static void test_whole(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 2);
	made_up_measure(&m, &m.points[0]);
	made_up_measure(&m, &m.points[1]);
	m.points[0].notes = (char *[]){ "a \"note\"\nof two lines" };
	m.points[0].nr_notes = 1;
	assert_null(results_write("r.json", &m.session, VERDICT_PASS, NULL));
	expect_in_json(
		"r.json",
		/* clang-format off */
"ns = [100000, 101000, 102000, 103000, 104000, 105000]\n"
"assert d['schema'] == 'kvmeter/1' and d['bench'] == 'made_up_test'\n"
"assert d['started'] == '2026-01-02T03:04:05Z' and d['boot_id'] is None\n"
"assert d['config'] == {'vcpus': [1, 2]}, d['config']\n"
"assert d['host']['cpu'] == 'A \"fast\" CPU' and d['host']['cpus'] == 2\n"
"assert d['host']['governor'] is None\n"
"assert d['host']['kvm'] == {'module': 'kvm_amd', 'parameters': {}}\n"
"assert d['verdict'] == 'pass' and d['reason'] is None\n"
"one, two = d['points']\n"
"assert one['config'] == {'vcpus': 1, 'bytes': 64 << 20}\n"
"assert two['config']['vcpus'] == 2\n"
"create, get_log, writes = two['metrics']\n"
"assert create['name'] == 'create' and create['unit'] == 'ns'\n"
"assert create['better'] == 'lower' and writes['better'] == 'higher'\n"
"assert create['samples'] == ns and create['accesses'] == 256\n"
"assert create['samples_per_run'] == 1\n"
"assert 'samples_of_runs' not in create\n"
"assert create['vcpu_samples'] == [[n, n - 1] for n in ns]\n"
"assert 'vcpu_samples' not in get_log and 'accesses' not in get_log\n"
"assert writes['unit'] == 'pages' and writes['samples'] == [50330000] * 6\n"
"assert all(type(n) is int for m in two['metrics'] for n in m['samples'])\n"
"assert two['checks'] == [\n"
"  {'name': 'create: mappings', 'result': 'ok', 'detail': '256 x 4K'},\n"
"  {'name': 'get_log: dirty log', 'result': 'ok', 'detail': '256 of 256'}]\n"
"assert two['usage']['create'] == {'user_ns': 42, 'sys_ns': 30,\n"
"  'in_run_ns': 18, 'voluntary_switches': 12, 'involuntary_switches': 6,\n"
"  'delay_ns': 54, 'host': {'user_ns': 6, 'sys_ns': 12, 'delay_ns': 6,\n"
"  'voluntary_switches': 0, 'involuntary_switches': 0}}\n"
"assert 'writes' not in two['usage']\n"
"assert one['steal_ns'] == 0 and two['steal_ns'] == 0\n"
"assert one['notes'] == ['a \"note\"\\nof two lines'] and two['notes'] == []\n");
	/* clang-format on */
	made_up_fini(&m);
}

/* Two in the first run, three in the second, one in one that did not end. */
static void add_runs(struct series *s)
{
	for (u64 i = 1; i <= 6; i++) {
		series_add_value(s, i);
		if (i == 2 || i == 5)
			series_end_run(s);
	}
}

/* An average that happens to be whole tells nothing of them. */
static void test_runs_unlike(void **state __maybe_unused)
{
	struct made_up m;
	struct series *s;

	made_up_init(&m, 1);
	s = m.points[0].series;
	m.points[0].started = true;
	add_runs(&s[CREATE]);
	for (u64 i = 1; i <= 6; i++) {
		series_add_value(&s[GET_LOG], i);
		if (i == 2 || i == 6)
			series_end_run(&s[GET_LOG]);
	}
	series_add_value(&s[WRITES], 1);
	assert_null(results_write("r.json", &m.session, VERDICT_PASS, NULL));
	expect_in_json("r.json",
		       "create, get_log, writes = d['points'][0]['metrics']\n"
		       "assert create['samples_of_runs'] == [2, 3], create\n"
		       "assert get_log['samples_of_runs'] == [2, 4], get_log\n"
		       "assert 'samples_of_runs' not in writes, writes\n"
		       "assert not any('samples_per_run' in m\n"
		       "               for m in d['points'][0]['metrics'])\n");
	made_up_fini(&m);
}

static void test_ended_early(void **state __maybe_unused)
{
	struct made_up m;

	made_up_init(&m, 2);
	made_up_measure(&m, &m.points[0]);
	check_merge(&m.points[0].checks[CREATED], CHECK_FAILED, "less");
	check_merge(&m.points[0].checks[LOGGED], CHECK_UNVERIFIED, "why");
	assert_null(results_write("r.json", &m.session, VERDICT_FAIL,
				  "vCPU 0 is stuck"));
	expect_in_json("r.json", "assert d['verdict'] == 'fail'\n"
				 "assert d['reason'] == 'vCPU 0 is stuck'\n"
				 "p, = d['points']\n"
				 "r = [c['result'] for c in p['checks']]\n"
				 "assert r == ['not ok', 'not verified'], r\n");
	made_up_fini(&m);
}

static void test_replaces(void **state __maybe_unused)
{
	struct made_up m;
	struct stat before, after;

	made_up_init(&m, 1);
	assert_null(results_write("r.json", &m.session, VERDICT_SKIP, "a"));
	assert_int_equal(stat("r.json", &before), 0);
	assert_null(results_write("r.json", &m.session, VERDICT_SKIP, "b"));
	assert_int_equal(stat("r.json", &after), 0);
	/* another file: who has the old one open still reads it whole */
	assert_int_not_equal(before.st_ino, after.st_ino);
	expect_in_json("r.json", "assert d['reason'] == 'b'");
	made_up_fini(&m);
}

/* What cannot be written whole leaves what was there. */
static void write_to_full_disk(void *arg __maybe_unused)
{
	const struct rlimit limit = { 200, 200 };
	struct made_up m;
	char *error;

	made_up_init(&m, 1);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	error = results_write("r.json", &m.session, VERDICT_SKIP, "c");
	fputs(error ? error : "no error", stderr);
	_exit(0);
}

static void test_full_disk(void **state __maybe_unused)
{
	struct made_up m;
	struct child child;

	made_up_init(&m, 1);
	assert_null(results_write("r.json", &m.session, VERDICT_SKIP, "a"));
	child_run(&child, write_to_full_disk, NULL);
	assert_non_null(strstr(child.err, "--json r.json: File too large"));
	expect_in_json("r.json", "assert d['reason'] == 'a'\n"
				 "import os\n"
				 "assert os.listdir() == ['r.json']");
	made_up_fini(&m);
}

static void test_no_place(void **state __maybe_unused)
{
	struct made_up m;
	char *error;

	made_up_init(&m, 1);
	error = results_write("none/r.json", &m.session, VERDICT_SKIP, "a");
	assert_non_null(error);
	assert_non_null(strstr(error, strerror(ENOENT)));
	free(error);
	error = results_write("/dev/full", &m.session, VERDICT_SKIP, "a");
	assert_non_null(error);
	assert_non_null(strstr(error, strerror(ENOSPC)));
	free(error);
	made_up_fini(&m);
}

static void check_path(void *path)
{
	results_check_path(path);
}

static void test_check_path(void **state __maybe_unused)
{
	struct child child;

	child_run(&child, check_path, "new.json");
	assert_int_equal(child.code, CHILD_RETURNED);
	child_run(&child, check_path, "-");
	assert_int_equal(child.code, CHILD_RETURNED);
	child_run(&child, check_path, "/dev/null");
	assert_int_equal(child.code, CHILD_RETURNED);
	child_run(&child, check_path, "none/r.json");
	assert_int_equal(child.code, 2);
	assert_non_null(strstr(child.err, "none/r.json"));
	assert_int_equal(access("new.json", F_OK), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_can_refuse),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_runs_unlike),
		cmocka_unit_test(test_ended_early),
		cmocka_unit_test(test_replaces),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_no_place),
		cmocka_unit_test(test_check_path),
	};

	return cmocka_run_group_tests_name("results", tests, setup, teardown);
}
