/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include <unistd.h>

#include "kvm_ioctl.h"
#include "mode.h"
#include "units.h"

const struct guest_mode *mode_find(const char *value)
{
	u64 id;

	if (!value)
		return &arch_guest_modes[0];
	for (const struct guest_mode *m = arch_guest_modes; m->name; m++)
		if (strcmp(m->name, value) == 0 ||
		    (parse_u64(value, &id) && m->id == id))
			return m;
	return NULL;
}

void mode_list(FILE *out)
{
	int kvm_fd = kvm_open();

	for (const struct guest_mode *m = arch_guest_modes; m->name; m++) {
		const char *missing = arch_mode_missing(kvm_fd, m);

		fprintf(out, "  %2u %-12s %u physical bits%s%s\n", m->id,
			m->name, arch_pa_bits(kvm_fd, m),
			missing ? "  not here: " : "", missing ? missing : "");
	}
	close(kvm_fd);
}
