/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose turn is it, of two sides that are measured in turn? Thread-safe. */
#ifndef KVMETER_TURNS_H
#define KVMETER_TURNS_H

#include "types.h"

/*
 * 0 or 1 for measurement @i, from 0: A B B A A B B A A B B A B A A B ... Each
 * two from an even @i on are one of each side.
 *
 * A linear drift adds the same to both sides over each four. A B B A over and
 * over would do for that, but has a period of four: a disturbance that comes
 * and goes with it adds 71 % of its amplitude to the difference, or all of it
 * if it hits every fourth measurement. So some fours are B A A B, chosen by the
 * sequence of Rudin and Shapiro, whose spectrum is as flat as it can be: of 40
 * measurements no sinusoid leaves more than 43 %, of 80 none more than 30 %.
 * (The sequence of Thue and Morse, A B B A B A A B, cancels more powers of
 * drift, but has a bias at periods of three, of 47 and 40 %.) Chance is left
 * out on purpose: a short random order may by bad luck be A A B B.
 */
int turn_side(size_t i);

#endif
