/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "../../tools/kvmeter/child.h"
#include "clock.h"
#include "util.h"

/* Empty directory of this check; files in it are named by these. */
static char *out_path, *err_path, *alive_path;

/* Runs a shell as the child: what it does is what children do. */
static struct child_end run(const char *script, u64 timeout_ns)
{
	char *argv[] = { "sh", "-c", (char *)script, "sh", alive_path, NULL };

	return child_run(&(struct child_config){
		.argv = argv,
		.stdout_path = out_path,
		.stderr_path = err_path,
		.timeout_ns = timeout_ns,
	});
}

static void expect_text(const char *path, const char *expected)
{
	char *text = read_text("%s", path);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/* Does process @path names end within a second? Zombies have. */
static bool is_gone(const char *path)
{
	u64 until = now_ns() + NSEC_PER_SEC, pid;
	char *state = NULL;
	bool gone = false;

	if (!read_number(&pid, "%s", path))
		return false;
	while (!gone && now_ns() < until) {
		state = read_text("/proc/%llu/stat", (unsigned long long)pid);
		gone = !state || strstr(state, ") Z ");
		free(state);
		usleep(1000);
	}
	return gone;
}

static void test_codes(void **state __maybe_unused)
{
	struct child_end end = run("echo out; echo err >&2; exit 7", 0);

	assert_int_equal(end.code, 7);
	assert_int_equal(end.signal, 0);
	assert_int_equal(end.error, 0);
	assert_false(end.timed_out || end.interrupted);
	assert_in_range(end.ns, 1, 10 * NSEC_PER_SEC);
	expect_text(out_path, "out");
	expect_text(err_path, "err");

	end = run("kill -SEGV $$", 0);
	assert_int_equal(end.code, -1);
	assert_int_equal(end.signal, SIGSEGV);
	expect_text(out_path, "");
}

static void test_one_file(void **state __maybe_unused)
{
	char *argv[] = { "sh", "-c", "echo a; echo b >&2; cat; echo c", NULL };
	struct child_end end =
		child_run(&(struct child_config){ .argv = argv,
						  .stdout_path = out_path,
						  .stderr_path = out_path });

	assert_int_equal(end.code, 0);
	expect_text(out_path, "a\nb\nc");
}

static void test_not_started(void **state __maybe_unused)
{
	char *none[] = { "no-such-program", NULL };
	char *no_program[] = { "/etc/passwd", NULL };
	char *argv[] = { "true", NULL };

	assert_int_equal(
		child_run(&(struct child_config){ .argv = none }).error,
		ENOENT);
	assert_int_equal(
		child_run(&(struct child_config){ .argv = no_program }).error,
		EACCES);
	assert_int_equal(child_run(&(struct child_config){
					   .argv = argv,
					   .stdout_path = "/no/such/place" })
				 .error,
			 ENOENT);
}

/* A file that may be run but is no program is not given to a shell. */
static void test_no_shell(void **state __maybe_unused)
{
	char *argv[] = { alive_path, NULL };
	FILE *f = fopen(alive_path, "w");
	struct child_end end;

	assert_non_null(f);
	fputs("exit 0\n", f);
	fclose(f);
	chmod(alive_path, 0755);
	end = child_run(&(struct child_config){ .argv = argv });
	assert_int_equal(end.error, ENOEXEC);
	assert_int_equal(end.code, -1);
	unlink(alive_path);
}

static void test_time_limit(void **state __maybe_unused)
{
	struct child_end end =
		run("trap 'echo told; exit 3' TERM; sleep 100 & echo $! >$1; "
		    "wait; wait",
		    NSEC_PER_SEC / 2);

	assert_true(end.timed_out);
	assert_false(end.interrupted);
	assert_int_equal(end.code, 3);
	assert_in_range(end.ns, NSEC_PER_SEC / 2, 8 * NSEC_PER_SEC);
	expect_text(out_path, "told");
	assert_true(is_gone(alive_path));
}

/* Somebody stops it, for a while or for ever: that is not its fault. */
static void test_stopped(void **state __maybe_unused)
{
	struct child_end end =
		run("(sleep 1.3; kill -CONT $$) & kill -STOP $$; sleep 0.5; "
		    "exit 5",
		    3 * NSEC_PER_SEC / 2);

	assert_false(end.timed_out);
	assert_int_equal(end.code, 5);
	assert_in_range(end.ns, 3 * NSEC_PER_SEC / 2, 8 * NSEC_PER_SEC);

	end = run("sleep 100 & echo $! >$1; kill -STOP $$", NSEC_PER_SEC);
	assert_true(end.timed_out);
	assert_int_equal(end.stop_signal, SIGSTOP);
	assert_non_null(strstr(child_why_late(&end), "stopped by signal 19"));
	assert_in_range(end.ns, NSEC_PER_SEC, 8 * NSEC_PER_SEC);
	assert_true(is_gone(alive_path));
	assert_string_equal(
		child_why_late(&(struct child_end){ .timed_out = true }), "");
}

/* Instead of libc's: a kernel in which nobody dies of SIGKILL. */
static bool kills = true;

int kill(pid_t pid, int sig)
{
	return sig == SIGKILL && !kills ? 0 : syscall(SYS_kill, pid, sig);
}

static void test_stuck(void **state __maybe_unused)
{
	char *argv[] = { "sh", "-c",
			 "trap '' TERM; echo $$ >$0; while :; do sleep 1; done",
			 alive_path, NULL };
	u64 pid;
	struct child_end end;

	kills = false;
	end = child_run(&(struct child_config){
		.argv = argv,
		.timeout_ns = NSEC_PER_SEC / 2,
		.grace_ns = NSEC_PER_SEC / 2,
		.gone_ns = NSEC_PER_SEC,
	});
	kills = true;
	assert_true(end.timed_out && end.stuck);
	assert_int_equal(end.code, -1);
	assert_non_null(strstr(child_why_late(&end), "not even when it was "
						     "killed"));
	assert_true(end.ns < 20 * NSEC_PER_SEC);
	assert_true(read_number(&pid, "%s", alive_path));
	kill(-(pid_t)pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_nothing_stays(void **state __maybe_unused)
{
	struct child_end end =
		run("(trap '' TERM; exec sleep 100) & echo $! >$1", 0);

	assert_int_equal(end.code, 0);
	assert_true(is_gone(alive_path));
}

/* In a process of its own, since only the end of one forgets a signal. */
static int interrupted_run(const char *script, unsigned int signals)
{
	pid_t pid = fork(), sender;
	struct child_end end;
	int status, killed;

	if (pid) {
		waitpid(pid, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	child_init();
	sender = fork();
	if (!sender) {
		/* once the script says that it is ready */
		while (access(alive_path, F_OK))
			usleep(1000);
		for (unsigned int i = 0; i < signals; i++) {
			kill(getppid(), SIGINT);
			usleep(300000);
		}
		_exit(0);
	}
	end = run(script, 0);
	killed = end.signal == SIGKILL;
	waitpid(sender, NULL, 0);
	if (!end.interrupted || child_interrupted() != SIGINT)
		_exit(100);
	/* nothing is begun any more */
	end = run("exit 0", 0);
	if (!end.interrupted || end.code != -1)
		_exit(101);
	_exit(killed ? 1 : 0);
}

static void test_interrupted(void **state __maybe_unused)
{
	unlink(alive_path);
	assert_int_equal(
		interrupted_run("trap 'exit 0' TERM; : >$1; sleep 100 & wait",
				1),
		0);
	unlink(alive_path);
	assert_int_equal(
		interrupted_run("trap '' TERM; echo $$ >$1; sleep 100", 2), 1);
	assert_true(is_gone(alive_path));
}

/* Between two children a signal kills nobody, and is not lost. */
static void test_pending(void **state __maybe_unused)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		child_init();
		raise(SIGTERM);
		_exit(run("exit 0", 0).interrupted &&
				      child_interrupted() == SIGTERM ?
			      0 :
			      1);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* What was ignored stays so. */
static void test_nohup(void **state __maybe_unused)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGHUP, SIG_IGN);
		child_init();
		raise(SIGHUP);
		_exit(run("kill -HUP $$; exit 6", 0).code == 6 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_parent_dies(void **state __maybe_unused)
{
	int status;
	pid_t pid;

	unlink(alive_path);
	pid = fork();
	if (pid == 0) {
		run("echo $$ >$1.new; mv $1.new $1; exec sleep 100", 0);
		_exit(0);
	}
	while (access(alive_path, F_OK))
		usleep(1000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(is_gone(alive_path));
}

static int set_up(void **state)
{
	char template[] = "/tmp/kvmeter-child-XXXXXX";
	char *dir = mkdtemp(template);

	if (!dir)
		return -1;
	*state = xstrdup(dir);
	out_path = xasprintf("%s/out", dir);
	err_path = xasprintf("%s/err", dir);
	alive_path = xasprintf("%s/alive", dir);
	return 0;
}

static int tear_down(void **state)
{
	unlink(out_path);
	unlink(err_path);
	unlink(alive_path);
	free(out_path);
	free(err_path);
	free(alive_path);
	rmdir(*state);
	free(*state);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		/* first: before child_init() has looked in this process */
		cmocka_unit_test(test_nohup),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_one_file),
		cmocka_unit_test(test_not_started),
		cmocka_unit_test(test_no_shell),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_nothing_stays),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_parent_dies),
	};

	return cmocka_run_group_tests_name("child_run", tests, set_up,
					   tear_down);
}
