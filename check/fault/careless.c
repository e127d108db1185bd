/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * careless HOW RESULTS
 *
 * Opens /dev/null and writes results; HOW it takes it if that cannot be opened
 * is what check/fault/catch.t must find fault with, but for "careful".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESULTS "{ \"verdict\": \"pass\" }\n"

static const char *results;

static void write_results(const char *text)
{
	FILE *out = fopen(results, "we");

	if (!out || fputs(text, out) < 0 || fclose(out))
		exit(1);
}

static void complain(const char *remedy)
{
	fprintf(stderr, "careless: open /dev/null: %s%s\n", strerror(ENOENT),
		remedy);
}

static void be_careful(void)
{
	complain(": look whether it is there");
	exit(1);
}

static void ignore(void)
{
	exit(0);
}

static void be_silent(void)
{
	exit(1);
}

static void be_vague(void)
{
	fprintf(stderr, "careless: something went wrong: try again\n");
	exit(1);
}

static void know_no_remedy(void)
{
	complain("");
	exit(1);
}

static void leave_file(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/left", getenv("TMPDIR"));
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	be_careful();
}

static void leave_process(void)
{
	if (fork() == 0)
		sleep(60);
	be_careful();
}

static void hang(void)
{
	sleep(60);
}

static void leak_descriptor(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		write_results(RESULTS);
	exit(0);
}

static void write_half(void)
{
	write_results("{ \"verdict\": ");
	be_careful();
}

static void claim_success(void)
{
	write_results(RESULTS);
	be_careful();
}

static void invent_code(void)
{
	complain(": look whether it is there");
	exit(3);
}

static const struct way {
	const char *name;
	void (*take)(void);
} ways[] = {
	{ "careful", be_careful },
	{ "ignore", ignore },
	{ "silent", be_silent },
	{ "vague", be_vague },
	{ "no-remedy", know_no_remedy },
	{ "leave-file", leave_file },
	{ "leave-process", leave_process },
	{ "hang", hang },
	{ "crash", abort },
	{ "leak-descriptor", leak_descriptor },
	{ "half", write_half },
	{ "claim-success", claim_success },
	{ "invent-code", invent_code },
};

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (argc != 3)
		return 2;
	results = argv[2];
	for (size_t i = 0; fd < 0 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			ways[i].take();
	if (fd >= 0)
		close(fd);
	write_results(RESULTS);
	return 0;
}
