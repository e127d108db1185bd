/* SPDX-License-Identifier: GPL-2.0-only */
#include "crew.h"
#include "dirty_calls.h"

void reserve_dirty_calls(struct run *r, const struct dirty_log *log,
			 struct dirty_call_metrics m, u64 rounds)
{
	const struct crew *crew = dirty_log_clearers(log);

	for (unsigned int i = 1; i < crew_workers(crew); i++)
		run_add_host_thread(r, crew_tid(crew, i));
	sample_reserve(r, m.get, rounds * dirty_log_max_calls(log));
	sample_reserve(r, m.clear, rounds * dirty_log_max_calls(log));
}

static void sample_calls(struct run *r, int metric, struct dirty_calls calls)
{
	for (u64 i = 0; i < calls.nr; i++)
		sample_value(r, metric, calls.ns[i]);
}

void sample_dirty_get(struct run *r, struct dirty_log *log, int metric)
{
	sample_time(r, metric, dirty_log_get(log));
}

void sample_dirty_clear(struct run *r, struct dirty_log *log, int metric,
			struct dirty_call_metrics m)
{
	struct ring_full full = dirty_log_ring_full(log);

	if (dirty_log_mode(log) != DIRTY_GET_LOG)
		sample_time(r, metric, dirty_log_clear(log));
	sample_calls(r, m.get, dirty_log_get_calls(log));
	sample_calls(r, m.clear, dirty_log_clear_calls(log));
	if (!dirty_mode_has_rings(dirty_log_mode(log)))
		return;
	sample_value(r, m.ring_full, full.ns);
	sample_value(r, m.ring_full_exits, full.exits);
}

struct thread_usage clearers_usage(const struct dirty_log *log)
{
	return crew_usage(dirty_log_clearers(log));
}

void sample_free_usage(struct run *r, const struct dirty_log *log, int metric,
		       struct thread_usage before)
{
	struct usage usage = gang_stop(r->gang).usage;

	usage_move_to_host(&usage,
			   thread_usage_sub(clearers_usage(log), before));
	sample_usage(r, metric, usage);
}
