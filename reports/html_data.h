/*
 * A report as the JSON that the HTML page shows. Its reader is reports/html/model.js. Inner header of reports/.
 */
#ifndef REPORTS_HTML_DATA_H
#define REPORTS_HTML_DATA_H

#include <jansson.h>

#include "reports/report.h"

/* From the most to the least: rows of all cases; only of those that did not pass; and of problems in cases only the first
 * HTML_PROBLEMS and each kernel's worst in full, the others as rows. */
enum html_detail { HTML_ALL_CASES, HTML_NO_PASSED_CASES, HTML_FEW_PROBLEMS, HTML_DETAIL_COUNT };
enum { HTML_PROBLEMS = 500 };

/* A new reference; NULL when out of host memory. The arena takes texts that last until the call returns.
 *
 * `environment`, `exit`, `notes`, `counts` a chip, as in a log · `bound_bin` the last bin of a histogram within the bound ·
 * `n_problems` · `texts` what rows of cases refer to by its place · `kernels`, each `registration`, `chip`, `state`,
 * `file`, `line`, `ns`, `histogram` over all its cases, `past` `ratios` and `vgprs` of earlier runs where they are known,
 * `verdicts` as in a log without what the kernel says, `worst` a place in them, `n_cases`, and `cases`, rows of gate, name,
 * shape, pattern, status, ratio, compared, wrong, undecided, ns, and the place in `verdicts` of one that did more than
 * pass. A problem's verdict has its `rank`, worst first, and the command to `repeat` it. */
json_t *html_data(const struct report *report, struct arena *arena, enum html_detail detail);

#endif
