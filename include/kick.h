/* SPDX-License-Identifier: GPL-2.0-only */
/* A signal that takes a vCPU's thread out of KVM_RUN, and no more. */
#ifndef KVMETER_KICK_H
#define KVMETER_KICK_H

#include <pthread.h>
#include <signal.h>

#include "types.h"

#define KICK_SIGNAL SIGUSR1

/* Installs the handler of the process. Main thread. */
void kick_init(void);

/*
 * From now on the calling thread counts the kicks that it has received in
 * *@count, a futex. The count changes after the thread has left KVM_RUN.
 */
void kick_receive(u32 *count);

/* Any thread. Two that have not been received yet are one. */
void kick_send(pthread_t thread);

/* One that is waited for: ends the test if it cannot be sent. Main thread. */
void kick_must(pthread_t thread, u32 vcpu);

#endif
