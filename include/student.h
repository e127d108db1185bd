/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Student's t distribution for whole degrees of freedom. Pure functions;
 * thread-safe.
 */
#ifndef KVMETER_STUDENT_H
#define KVMETER_STUDENT_H

#include "types.h"

/* P(T >= @t), within 1e-12; @df >= 1. Infinite @t is allowed. */
double student_upper(double t, size_t df);

/* The t with P(T >= t) = @p, 0.00001 < @p < 0.99999, within 1e-7 of it. */
double student_quantile(double p, size_t df);

#endif
