/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tool kvmeter: runs benchmarks and works on results files; it knows none
 * of them but by what they describe and write. Main thread only. What its
 * commands allocate lives until the process ends.
 */
#ifndef KVMETER_TOOL_H
#define KVMETER_TOOL_H

/* A command returns the exit code; argv[0] is its name. */
int command_ab(int argc, char **argv);
int command_bisect(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_list(int argc, char **argv);
int command_noise(int argc, char **argv);
int command_report(int argc, char **argv);
int command_run(int argc, char **argv);

#endif
