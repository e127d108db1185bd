/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes (processes.h) must have done, while their vCPUs are stopped.
 * A page that is not what it should be has ended the test before, by a guest's
 * assertion: this is about whether all that was planned has happened.
 *
 * @id is a check's index; @done how many processes all vCPUs have run in
 * this VM so far, of which the last one on each has moved its shared page while
 * the others waited for it.
 */
#ifndef KVMETER_PROCESS_PROOF_H
#define KVMETER_PROCESS_PROOF_H

#include "processes.h"

void process_proof_check_pages(const struct processes *p, int id, u64 done);
void process_proof_check_copies(const struct processes *p, int id, u64 done);
void process_proof_check_moves(const struct processes *p, int id, u64 done);

/* Exits for registers, and that they hold what was written last. */
void process_proof_check_registers(const struct processes *p, int id, u64 done);
/* The device's memory holds what was written last. */
void process_proof_check_device(const struct processes *p, int id);

#endif
