/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "options_example.h"

/* A command line: words that single spaces separate. */
struct command {
	char text[2048];
	char *argv[32];
	int argc;
	const struct option_set *set;
	struct config config;
};

static void command_init(struct command *c, const char *text)
{
	char *rest = c->text;

	assert_true(strlen(text) < sizeof(c->text));
	strcpy(c->text, text);
	c->argc = 0;
	c->argv[c->argc++] = "argv0";
	while (*text && rest)
		c->argv[c->argc++] = strsep(&rest, " ");
	c->argv[c->argc] = NULL;
	c->set = &set;
	memcpy(&c->config, &defaults, sizeof(defaults));
}

static void command_parse(void *arg)
{
	struct command *c = arg;

	options_parse(c->set, &c->config, c->argc, c->argv);
}

/* Lent until the next call. */
static const struct config *parse(const char *text)
{
	static struct command c;

	command_init(&c, text);
	command_parse(&c);
	return &c.config;
}

/* @text is refused with this message, which names the program and --help. */
static void refused(const char *text, const char *message)
{
	static const char hint[] = "Try 'prog --help' for more information.\n";
	struct command c;
	struct child child;
	char expected[1024];

	command_init(&c, text);
	child_run(&child, command_parse, &c);
	snprintf(expected, sizeof(expected), "prog: %s\n%s", message, hint);
	assert_string_equal(child.err, expected);
	assert_string_equal(child.out, "");
	assert_int_equal(child.code, 2);
}

static void test_nothing(void **state __maybe_unused)
{
	assert_memory_equal(parse(""), &defaults, sizeof(defaults));
	assert_memory_equal(parse("--"), &defaults, sizeof(defaults));
}

static void test_flags(void **state __maybe_unused)
{
	const struct config *c = parse("-aq --no-prefault");

	assert_true(c->random);
	assert_true(c->quiet);
	assert_false(c->prefault);
	c = parse("--random-access");
	assert_true(c->random);
	assert_true(c->prefault);
	assert_false(c->quiet);
	assert_true(parse("--rand")->random);
	assert_false(parse("--no")->prefault);
	refused("--prefault", "--prefault: unknown option");
	refused("--quiet=3", "--quiet: takes no argument");
	refused("--no-prefault=", "--no-prefault: takes no argument");
}

static void test_numbers(void **state __maybe_unused)
{
	assert_int_equal(parse("-w 0")->write_percent, 0);
	assert_int_equal(parse("-w100")->write_percent, 100);
	assert_int_equal(parse("--write-percent 7")->write_percent, 7);
	assert_int_equal(parse("--write-percent=0x10")->write_percent, 16);
	assert_int_equal(parse("--write-p=5 -w 6")->write_percent, 6);
	assert_int_equal(parse("-aw 3")->write_percent, 3);
	assert_int_equal(parse("-r 18446744073709551615")->seed, UINT64_MAX);
	assert_int_equal(parse("-x 1")->slots, 1);
	assert_int_equal(parse("-x 99999999999")->slots, 99999999999);

	refused("-w 101", "-w 101: not in 0..100");
	refused("-w101", "-w 101: not in 0..100");
	refused("--write-percent 101", "--write-percent 101: not in 0..100");
	refused("--write-p=101", "--write-percent 101: not in 0..100");
	refused("-x 0", "-x 0: must be at least 1");
	refused("-w -1", "-w -1: not a whole number below 2^64");
	refused("-w 5%", "-w 5%: not a whole number below 2^64");
	refused("-w 1.5", "-w 1.5: not a whole number below 2^64");
	refused("-w 4K", "-w 4K: not a whole number below 2^64");
	refused("--seed=", "--seed : not a whole number below 2^64");
	refused("-r 18446744073709551616",
		"-r 18446744073709551616: not a whole number below 2^64");
}

static void test_sizes(void **state __maybe_unused)
{
	assert_int_equal(parse("-k 4096")->chunk, 4096);
	assert_int_equal(parse("--chunk 2MiB")->chunk, MIB(2));

	refused("-k 4095", "-k 4095: must be at least 4K");
	refused("-k 1Q", "-k 1Q: not a size such as 4096, 64K or 2M");
	refused("-k 16E", "-k 16E: not a size such as 4096, 64K or 2M");
	refused("-k 16777216T",
		"-k 16777216T: not a size such as 4096, 64K or 2M");
	/* Beyond the range, without a reason of its own. */
	refused("-k 4097", "-k 4097: not valid");
}

static void test_lists(void **state __maybe_unused)
{
	const struct config *c = parse("-v 1-3,512 --bytes=4K,1T");

	assert_int_equal(c->vcpus.nr, 4);
	assert_int_equal(c->vcpus.v[0], 1);
	assert_int_equal(c->vcpus.v[1], 2);
	assert_int_equal(c->vcpus.v[2], 3);
	assert_int_equal(c->vcpus.v[3], 512);
	assert_int_equal(c->bytes.nr, 2);
	assert_int_equal(c->bytes.v[0], 4096);
	assert_int_equal(c->bytes.v[1], GIB(1024));
	c = parse("-v 1,2 -v 5");
	assert_int_equal(c->vcpus.nr, 1);
	assert_int_equal(c->vcpus.v[0], 5);

	refused("-v 4-1", "-v 4-1: not a list such as 1,2,4 or 1-4, "
			  "of up to 4096 values");
	refused("-v 1-4097", "-v 1-4097: not a list such as 1,2,4 or 1-4, "
			     "of up to 4096 values");
	refused("-b ,",
		"-b ,: not a list such as 64M,1G, of up to 4096 values");
	refused("-v 1,513,0", "-v 513: not in 1..512");
	refused("--vcpus 0-4", "--vcpus 0: not in 1..512");
	refused("-b 4K,2048", "-b 2K: not in 4K..1T");
	refused("-b 1025G", "-b 1025G: not in 4K..1T");
}

static void test_strings(void **state __maybe_unused)
{
	const struct config *c = parse("-J - --pin=0,2");

	assert_string_equal(c->json, "-");
	assert_string_equal(c->pin, "0,2");
	assert_string_equal(parse("--json=")->json, "");
	assert_null(parse("-q")->json);
	refused("-c 1", "-c 1: only even CPUs are there");
	refused("--pin 1", "--pin 1: only even CPUs are there");
}

static void test_choices(void **state __maybe_unused)
{
	assert_int_equal(parse("-o forward")->order, 0);
	assert_int_equal(parse("--order shuffled")->order, 2);
	assert_int_equal(parse("--write-mode=16K")->mode, 1);
	refused("-o back", "-o back: not one of forward, backward, shuffled");
	refused("--write-mode 64K", "--write-mode 64K: not one of 4K, 16K");
}

static void test_choice_lists(void **state __maybe_unused)
{
	const struct config *c = parse("-M backward,shuffled,forward");

	assert_int_equal(c->ways.nr, 3);
	assert_int_equal(c->ways.v[0], 1);
	assert_int_equal(c->ways.v[1], 2);
	assert_int_equal(c->ways.v[2], 0);
	assert_int_equal(parse("--ways=forward")->ways.nr, 1);
	assert_int_equal(parse("-M all")->ways.nr, 0);
	assert_int_equal(parse("--straight")->ways.nr, 1);
	assert_int_equal(parse("--straight")->ways.v[0], 0);
	refused("--straight=1", "--straight: takes no argument");
	refused("-M back", "-M back: not one of forward, backward, shuffled");
	refused("-M forward,back,x",
		"-M back: not one of forward, backward, shuffled");
	refused("-M forward,", "-M : not one of forward, backward, shuffled");
	refused("-M forward,backward,forward",
		"-M forward,backward,forward: forward stands twice");
}

static void test_unknown(void **state __maybe_unused)
{
	refused("-Z", "-Z: unknown option");
	refused("-aZ", "-Z: unknown option");
	refused("-?", "-?: unknown option");
	refused("-:", "-:: unknown option");
	refused("-+", "-+: unknown option");
	refused("-W help", "-W: unknown option");
	refused("-\xc4\x99", "-?: unknown option");
	refused("--nope", "--nope: unknown option");
	refused("--nope=1", "--nope: unknown option");
	refused("--vcpuss 1", "--vcpuss: unknown option");
	refused("--=1", "--: ambiguous: --vcpus, --bytes, --slots, --pin, "
			"--json, --quiet, --write-percent, --random-access, "
			"--no-prefault, --seed, --chunk, --order, "
			"--ways, --straight, --write-mode");
	refused("--write", "--write: ambiguous: --write-percent, --write-mode");
	refused("--s=4", "--s: ambiguous: --slots, --seed, --straight");
	/* The first is named, though later ones are wrong as well. */
	refused("-a --write -w 101 Z",
		"--write: ambiguous: --write-percent, --write-mode");
}

static void test_missing(void **state __maybe_unused)
{
	refused("-w", "-w: missing argument PERCENT");
	refused("-aw", "-w: missing argument PERCENT");
	refused("--vcpus", "--vcpus: missing argument LIST");
	refused("-a --write-p", "--write-percent: missing argument PERCENT");
}

static void test_operands(void **state __maybe_unused)
{
	refused("here", "here: operands are not taken");
	refused("-", "-: operands are not taken");
	refused("-a here -w 101", "here: operands are not taken");
	refused("-- -w", "-w: operands are not taken");
}

/* Options and operands mixed; the operands come last, in their order. */
static void test_taken_operands(void **state __maybe_unused)
{
	const struct option_set taking = { .program = "dirty_test",
					   .summary = "Takes some.",
					   .tables = tables,
					   .operands = "A [B]" };
	struct command c;
	char help[64];
	FILE *out = fmemopen(help, sizeof(help), "w");
	int first;

	command_init(&c, "here -w 7 there -a -- -w");
	first = options_parse(&taking, &c.config, c.argc, c.argv);
	assert_int_equal(c.config.write_percent, 7);
	assert_true(c.config.random);
	assert_int_equal(c.argc - first, 3);
	assert_string_equal(c.argv[first], "here");
	assert_string_equal(c.argv[first + 1], "there");
	assert_string_equal(c.argv[first + 2], "-w");

	command_init(&c, "-a");
	assert_int_equal(options_parse(&taking, &c.config, c.argc, c.argv),
			 c.argc);
	assert_non_null(out);
	options_help(&taking, &defaults, out);
	fclose(out);
	help[strcspn(help, "\n")] = 0;
	assert_string_equal(help, "Usage: dirty_test [OPTION]... A [B]");
}

static void expect_completion(const struct option_set *other,
			      const char *expected)
{
	struct command c;
	struct child child;

	command_init(&c, "--completion");
	if (other)
		c.set = other;
	child_run(&child, command_parse, &c);
	assert_string_equal(child.out, expected);
	assert_string_equal(child.err, "");
	assert_int_equal(child.code, 0);
}

/* What a shell is told: alone on the command line, and with nothing else. */
static void test_completion(void **state __maybe_unused)
{
	static const struct option_row rows[] = {
		{ .type = OPT_STRING,
		  .letter = 's',
		  .name = "source",
		  .arg = "TYPE",
		  .help = "of memory; 'help' lists them" },
		{ .type = OPT_END },
	};
	static const struct option_row *const one[] = { rows, NULL };
	static const struct option_set asking = { "prog", "Asks.", one,
						  "A [B]..." };

	expect_completion(NULL,
			  "option v vcpus LIST value\n"
			  "option b bytes LIST value\n"
			  "option x slots N value\n"
			  "option c pin LIST value\n"
			  "option J json FILE value\n"
			  "option q quiet - flag\n"
			  "option w write-percent PERCENT value\n"
			  "option a random-access - flag\n"
			  "option - no-prefault - flag\n"
			  "option r seed N value\n"
			  "option k chunk SIZE value\n"
			  "option o order ORDER choice forward backward "
			  "shuffled\n"
			  "option M ways LIST list forward backward shuffled\n"
			  "option - straight - flag\n"
			  "option - write-mode MODE choice 4K 16K\n");
	expect_completion(&asking, "operands A [B]...\n"
				   "option s source TYPE ask\n");
	refused("-a --completion", "--completion: unknown option");
}

/* A refused command line leaves nothing behind for the next. */
static void test_again(void **state __maybe_unused)
{
	int before;

	assert_true(parse("-aq")->quiet);
	before = optind;
	assert_true(parse("-aq")->quiet);
	assert_int_equal(optind, before);
	assert_int_equal(parse("-w 1 -w 2 -w 3")->write_percent, 3);
	assert_int_equal(parse("-w 4")->write_percent, 4);
}

/* Tables that contradict each other are a bug, found at the first start. */
static void expect_bug(const struct option_row *rows, const char *message)
{
	const struct option_row *const two[] = { common_rows, rows, NULL };
	const struct option_set bad = { "bad", "Is wrong.", two, NULL };
	struct command c;
	struct child child;

	command_init(&c, "");
	c.set = &bad;
	child_run(&child, command_parse, &c);
	assert_string_equal(child.err, message);
	assert_int_equal(child.code, 1);
}

static void test_bugs(void **state __maybe_unused)
{
	static const struct option_row letter[] = {
		{ .type = OPT_FLAG, .letter = 'v', .name = "verbose" },
		{ .type = OPT_END },
	};
	static const struct option_row name[] = {
		{ .type = OPT_FLAG, .letter = 'y', .name = "vcpus" },
		{ .type = OPT_END },
	};
	static const struct option_row long_name[] = {
		{ .type = OPT_NO_FLAG,
		  .name = "23456789012345678901234567890" },
		{ .type = OPT_END },
	};

	expect_bug(letter, "prog: options: -v stands twice\n");
	expect_bug(name, "prog: options: --vcpus stands twice\n");
	expect_bug(long_name, "prog: options: --23456789012345678901234567890: "
			      "name too long\n");
}

/* As many rows as there may be, each with a letter and a value. */
static void test_limit(void **state __maybe_unused)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ%@";
	struct option_row rows[OPTIONS_MAX + 2] = { 0 };
	const struct option_row *const one[] = { rows, NULL };
	const struct option_set full = { "full", "Is full.", one, NULL };
	char names[OPTIONS_MAX + 1][OPTION_NAME_MAX];
	struct command c;
	struct child child;
	size_t i;

	assert_int_equal(strlen(letters), OPTIONS_MAX);
	for (i = 0; i <= OPTIONS_MAX; i++) {
		/* As long as a name may be. */
		snprintf(names[i], OPTION_NAME_MAX, "%02zu%029d", i, 0);
		rows[i] = (struct option_row){
			.type = OPT_U64,
			.letter = letters[i],
			.name = names[i],
			.offset = offsetof(struct config, seed),
		};
	}
	rows[OPTIONS_MAX - 1].type = OPT_CHOICE;
	rows[OPTIONS_MAX - 1].choices = orders;
	rows[OPTIONS_MAX - 1].offset = offsetof(struct config, order);

	command_init(&c, "-@ shuffled --000 5");
	c.set = &full;
	child_run(&child, command_parse, &c);
	assert_string_equal(child.err, "prog: options: more than 64\n");
	rows[OPTIONS_MAX].type = OPT_END;
	command_parse(&c);
	assert_int_equal(c.config.order, 2);
	assert_int_equal(c.config.seed, 5);

	/* Every name in one message. */
	command_init(&c, "--=");
	c.set = &full;
	child_run(&child, command_parse, &c);
	assert_int_equal(child.code, 2);
	assert_non_null(strstr(child.err, ", --63000000000000000000000000000"
					  "00\n"));
}

int main(void)
{
	/* clang-format off */
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_choice_lists),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_taken_operands),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_bugs),
		cmocka_unit_test(test_limit),
	};
	/* clang-format on */

	program_invocation_short_name = "prog";
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
