/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include "random.h"

/* splitmix64 (Steele, Lea, Flood 2014) */
u64 random_next(u64 *state)
{
	u64 z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Lemire 2019: the remainder is seldom needed. */
u32 random_below(u64 *state, u32 n)
{
	u64 product = (random_next(state) >> 32) * n;
	u32 bias;

	if ((u32)product >= n)
		return product >> 32;
	bias = -n % n;
	while ((u32)product < bias)
		product = (random_next(state) >> 32) * n;
	return product >> 32;
}

double random_unit(u64 *state)
{
	return (random_next(state) >> 11) * 0x1p-53;
}

/* Box and Muller 1958, one of the two */
double random_normal(u64 *state)
{
	double radius = sqrt(-2 * log(1 - random_unit(state)));

	return radius * cos(2 * M_PI * random_unit(state));
}
