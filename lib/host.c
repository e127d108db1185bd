/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cpus.h"
#include "host.h"
#include "kvm_module.h"
#include "units.h"
#include "util.h"

/* What follows "KEY : " in the first line of @text that begins with @key. */
static char *field(const char *text, const char *key)
{
	size_t key_bytes = strlen(key);

	while (text && strncmp(text, key, key_bytes) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return NULL;
	text += key_bytes + strspn(text + key_bytes, " \t:");
	return xasprintf("%.*s", (int)strcspn(text, "\n"), text);
}

static char *read_cpu(void)
{
	static const char *const keys[] = { "model name", "CPU part", "uarch" };
	char *text = read_text("/proc/cpuinfo");
	char *cpu = NULL;

	for (size_t i = 0; text && !cpu && i < ARRAY_SIZE(keys); i++)
		cpu = field(text, keys[i]);
	free(text);
	return cpu;
}

/* "hypervisor" among the CPU's flags, then whose from firmware or sysfs. */
static char *read_hypervisor(void)
{
	char *type = read_text("/sys/hypervisor/type");
	char *vendor = read_text("/sys/class/dmi/id/sys_vendor");
	char *text = read_text("/proc/cpuinfo");
	char *flags = text ? field(text, "flags") : NULL;
	char *result = NULL;

	if (type)
		result = xstrdup(type);
	else if (flags && strstr(flags, "hypervisor"))
		result = xstrdup(vendor ? vendor : "yes");
	free(type);
	free(vendor);
	free(text);
	free(flags);
	return result;
}

/* "always [madvise] never" -> "madvise" */
static char *chosen_word(char *choices)
{
	char *from = choices ? strchr(choices, '[') : NULL;
	char *word = NULL;

	if (from)
		word = xasprintf("%.*s", (int)strcspn(from + 1, "]"), from + 1);
	free(choices);
	return word;
}

static u64 read_memory(void)
{
	char *text = read_text("/proc/meminfo");
	char *total = text ? field(text, "MemTotal") : NULL;
	u64 bytes = total ? KIB(strtoull(total, NULL, 10)) : 0;

	free(text);
	free(total);
	return bytes;
}

static int compare_parameters(const void *a, const void *b)
{
	const struct host_parameter *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void add_parameters(struct host_facts *host, const char *module)
{
	char *path = xasprintf(MODULES "/%s/parameters", module);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *value = entry->d_name[0] == '.' ?
				      NULL :
				      read_text("%s/%s", path, entry->d_name);
		struct host_parameter *p;

		if (!value)
			continue;
		host->parameters = xrealloc(host->parameters,
					    host->nr_parameters + 1,
					    sizeof(*host->parameters));
		p = &host->parameters[host->nr_parameters++];
		p->name = xasprintf("%s.%s", module, entry->d_name);
		p->value = value;
	}
	if (dir)
		closedir(dir);
	free(path);
}

/* Where there is none beside it, kvm itself. */
static void read_kvm(struct host_facts *host)
{
	host->kvm_module = kvm_module_name("");
	add_parameters(host, "kvm");
	if (host->kvm_module)
		add_parameters(host, host->kvm_module);
	else if (access(MODULES "/kvm", F_OK) == 0)
		host->kvm_module = xstrdup("kvm");
	if (host->nr_parameters)
		qsort(host->parameters, host->nr_parameters,
		      sizeof(*host->parameters), compare_parameters);
}

void host_read(struct host_facts *host)
{
	struct utsname uts;

	*host = (struct host_facts){ 0 };
	if (uname(&uts) == 0) {
		host->kernel = xstrdup(uts.release);
		host->version = xstrdup(uts.version);
		host->arch = xstrdup(uts.machine);
	}
	host->cmdline = read_text("/proc/cmdline");
	host->cpu = read_cpu();
	host->cpus = cpus_usable();
	host->memory_bytes = read_memory();
	host->hypervisor = read_hypervisor();
	host->boot_id = read_text("/proc/sys/kernel/random/boot_id");
	host->thp = chosen_word(
		read_text("/sys/kernel/mm/transparent_hugepage/enabled"));
	host->numa_balancing = read_text("/proc/sys/kernel/numa_balancing");
	host->governor = read_text(
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	host->clocksource = read_text("/sys/devices/system/clocksource/"
				      "clocksource0/current_clocksource");
	read_kvm(host);
}

void host_fini(struct host_facts *host)
{
	for (unsigned int i = 0; i < host->nr_parameters; i++) {
		free(host->parameters[i].name);
		free(host->parameters[i].value);
	}
	free(host->parameters);
	free(host->kernel);
	free(host->version);
	free(host->cmdline);
	free(host->arch);
	free(host->cpu);
	free(host->hypervisor);
	free(host->boot_id);
	free(host->thp);
	free(host->numa_balancing);
	free(host->governor);
	free(host->clocksource);
	free(host->kvm_module);
}

static const char *or_unknown(const char *s)
{
	return s ? s : "unknown";
}

void host_print(const struct host_facts *host, const char *prefix, FILE *out)
{
	char size[UNIT_LEN];

	fprintf(out, "%shost: Linux %s %s, %s, %llu CPUs, %s", prefix,
		or_unknown(host->kernel), or_unknown(host->arch),
		or_unknown(host->cpu), (unsigned long long)host->cpus,
		format_size(size, ALIGN_DOWN(host->memory_bytes, MIB(1))));
	if (host->hypervisor)
		fprintf(out, ", under hypervisor %s", host->hypervisor);
	fprintf(out, "\n%skvm: %s, thp %s, governor %s, clocksource %s\n",
		prefix, or_unknown(host->kvm_module), or_unknown(host->thp),
		or_unknown(host->governor), or_unknown(host->clocksource));
}

static void write_number(struct json *j, const char *name, u64 value)
{
	if (value)
		json_u64(j, name, value);
	else
		json_unknown(j, name);
}

void host_json(const struct host_facts *host, struct json *j)
{
	json_object_begin(j, "host");
	json_text(j, "kernel", host->kernel);
	json_text(j, "version", host->version);
	json_text(j, "cmdline", host->cmdline);
	json_text(j, "arch", host->arch);
	json_text(j, "cpu", host->cpu);
	write_number(j, "cpus", host->cpus);
	write_number(j, "memory_bytes", host->memory_bytes);
	json_text(j, "hypervisor", host->hypervisor);
	json_text(j, "thp", host->thp);
	json_text(j, "numa_balancing", host->numa_balancing);
	json_text(j, "governor", host->governor);
	json_text(j, "clocksource", host->clocksource);
	json_object_begin(j, "kvm");
	json_text(j, "module", host->kvm_module);
	json_object_begin(j, "parameters");
	for (unsigned int i = 0; i < host->nr_parameters; i++)
		json_text(j, host->parameters[i].name,
			  host->parameters[i].value);
	json_object_end(j);
	json_object_end(j);
	json_object_end(j);
}
