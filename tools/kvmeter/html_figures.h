/* SPDX-License-Identifier: GPL-2.0-only */
/* Which figures a metric has. They are drawn by figures_draw(). */
#ifndef KVMETER_HTML_FIGURES_H
#define KVMETER_HTML_FIGURES_H

#include "html_plot.h"
#include "html_view.h"

/* Every run as a dot, with median and interval; all sides and points. */
void figures_add_runs(struct figures *f, const struct view *v,
		      const struct view_metric *m);

/* Over vCPUs and over bytes, where these were swept. */
void figures_add_scaling(struct figures *f, const struct view *v,
			 const struct view_metric *m);

/* From side to side, where there are three or more. */
void figures_add_trend(struct figures *f, const struct view *v,
		       const struct view_metric *m);

/* Percentiles of latencies, where the files have them. */
void figures_add_latencies(struct figures *f, const struct view *v,
			   const struct view_metric *m);

#endif
