/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kvm_module.h"
#include "util.h"

/* What drives the CPUs with that flag in /proc/cpuinfo. */
static const struct {
	const char *flag, *module;
} vendors[] = { { "vmx", "kvm_intel" }, { "svm", "kvm_amd" } };

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	while (*line) {
		line += strspn(line, " \t\n");
		if (strncmp(line, word, length) == 0 &&
		    strchr(" \n", line[length]))
			return true;
		line += strcspn(line, " \t\n");
	}
	return false;
}

/* The flags of one CPU: on a large host the whole file takes milliseconds. */
const char *kvm_module_of_cpu(const char *root)
{
	char *path = xasprintf("%s/proc/cpuinfo", root), *line = NULL;
	FILE *file = fopen(path, "re");
	const char *module = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		if (strncmp(line, "flags", 5) != 0)
			continue;
		for (size_t i = 0; !module && i < ARRAY_SIZE(vendors); i++)
			if (has_word(line, vendors[i].flag))
				module = vendors[i].module;
		break;
	}
	if (file)
		fclose(file);
	free(line);
	free(path);
	return module;
}

static bool is_of_vendor(const char *module)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		if (strcmp(module, vendors[i].module) == 0)
			return true;
	return false;
}

static void replace(char **name, const char *by)
{
	free(*name);
	*name = by ? xstrdup(by) : NULL;
}

char *kvm_module_name(const char *root)
{
	const char *of_cpu = kvm_module_of_cpu(root);
	char *path = xasprintf("%s" MODULES, root);
	char *vendor = NULL, *other = NULL;
	DIR *dir = opendir(path);
	unsigned int vendors_there = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strncmp(name, "kvm_", 4) != 0)
			continue;
		if (is_of_vendor(name)) {
			vendors_there++;
			if (!vendor || (of_cpu && strcmp(name, of_cpu) == 0))
				replace(&vendor, name);
		} else if (!other || strcmp(name, other) < 0) {
			replace(&other, name);
		}
	}
	if (dir)
		closedir(dir);
	free(path);
	/* none of them is this CPU's */
	if (vendors_there > 1 && !of_cpu)
		replace(&vendor, NULL);
	/* in software, or of a machine with one vendor: it is there for use */
	if (other)
		replace(&vendor, NULL);
	return other ? other : vendor;
}

bool kvm_module_switch(const char *root, const char *name)
{
	char *module = kvm_module_name(root);
	char *value = module ? read_text("%s" MODULES "/%s/parameters/%s", root,
					 module, name) :
			       NULL;
	bool on = value && (value[0] == 'Y' || value[0] == '1');

	free(module);
	free(value);
	return on;
}
