import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { createFigureList } from "./figure-list.ts";
import type { Statistic, ToolReport } from "./foreign-report.ts";
import { readMember, readNumber } from "./read-number.ts";

const statistics: readonly (readonly [Statistic, string])[] = [
  ["mean", "avg"],
  ["p50", "med"],
  ["p90", "p(90)"],
  ["p95", "p(95)"],
  ["p99", "p(99)"],
];
const successes = "http_req_duration{expected_response:true}";

/** The summary of k6: `--summary-export`, or `data` of handleSummary as JSON; null when the file is none. */
export function readK6(file: unknown): ToolReport | null {
  const metrics = readMember(file, "metrics");
  if (!isJsonObject(metrics) || !("http_reqs" in metrics)) return null;
  const { add, refuse, report } = createFigureList();
  // handleSummary puts the figures of a metric into `values`, --summary-export beside each other.
  const figure = (metric: string, name: string): number | null =>
    readNumber(metrics, metric, "values", name) ?? readNumber(metrics, metric, name);
  const failed = figure("http_req_failed", "rate") ?? figure("http_req_failed", "value");
  const source = successes in metrics ? successes : "http_req_duration";
  if (source === successes || failed === 0) {
    for (const [statistic, name] of statistics) {
      add(
        "request-latency",
        statistic,
        `${source}.${name}`,
        figure(source, name),
        "without the time to connect; ends with the last byte",
      );
    }
  } else {
    refuse(
      "http_req_duration",
      source in metrics,
      "failed requests are mixed in: a threshold on http_req_duration{expected_response:true} has k6 keep successes apart",
    );
  }
  refuse("http_req_waiting", "http_req_waiting" in metrics, "it ends with the first byte of the head, not with a token");
  refuse("iteration_duration", "iteration_duration" in metrics, "it includes what the script does beside requests");
  add("sent-per-second", "rate", "http_reqs.rate", figure("http_reqs", "rate"), "over the time of the run, ramps included");
  add("failed-fraction", "fraction", "http_req_failed", failed);
  return report(
    "k6",
    null,
    `${figure("http_reqs", "count") ?? "?"} requests, at most ${figure("vus_max", "max") ?? figure("vus_max", "value") ?? "?"} virtual users`,
  );
}
