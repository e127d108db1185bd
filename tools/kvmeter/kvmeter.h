/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tool kvmeter: works on results files alone and knows no benchmark. Main
 * thread only. What its commands allocate lives until the process ends.
 */
#ifndef KVMETER_TOOL_H
#define KVMETER_TOOL_H

/* A command returns the exit code; argv[0] is its name. */
int command_compare(int argc, char **argv);

#endif
