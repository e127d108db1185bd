/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include "student.h"

/*
 * P(|T| < t) as a finite series in the angle whose tangent is t / sqrt(df):
 * Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 26.7.3 and
 * 26.7.4.
 */
static double central(double t, size_t df)
{
	double angle = atan(t / sqrt(df));
	double sine = sin(angle), square = cos(angle) * cos(angle);
	double term = df % 2 ? cos(angle) : 1, sum = 0;
	size_t i;

	for (i = df % 2 ? 3 : 2; i <= df; i += 2) {
		sum += term;
		term *= square * (i - 1) / i;
	}
	return df % 2 ? M_2_PI * (angle + sine * sum) : sine * sum;
}

double student_upper(double t, size_t df)
{
	double tail = (1 - central(fabs(t), df)) / 2;

	/* what rounding leaves far out must not become negative */
	tail = fmax(tail, 0);
	return t < 0 ? 1 - tail : tail;
}

/* By bisection of the angle, which is finite. */
double student_quantile(double p, size_t df)
{
	double low = -M_PI_2, high = M_PI_2, mid = 0;
	int i;

	for (i = 0; i < 60; i++) {
		mid = (low + high) / 2;
		if (student_upper(tan(mid) * sqrt(df), df) > p)
			low = mid;
		else
			high = mid;
	}
	return tan(mid) * sqrt(df);
}
