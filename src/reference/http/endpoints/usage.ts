import type { UsageBucket, UsageQuery, UsageReport } from "../../engine/usage/usage-report.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { Operation, Read } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { validate } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import type { Call } from "../call.ts";

export const usage: Operation<UsageQuery> = {
  endpoint: "usage",
  read: readUsage,
  serve: (call, query, lease) => {
    const { engine, switches } = call.service;
    settleFree(lease);
    respondJson(call, 200, distortReport(engine.usageReport(call.key!, query), switches), lease.rateHeaders());
  },
};

/** Shapes of the report as written; its sums are the engine's business. */
function distortReport(report: UsageReport, switches: Switchboard): unknown {
  const { object, data, aggregate } = report;
  if (switches.on("usage/object-wrong")) return { ...report, object: "usage" };
  if (switches.on("usage/named-buckets")) return { object, buckets: data, aggregate };
  if (switches.on("usage/aggregate-absent")) return { object, data };
  if (switches.on("usage/aggregate-tokens-text"))
    return { ...report, aggregate: { ...aggregate, total_tokens: String(aggregate.total_tokens) } };
  if (switches.on("usage/aggregate-cost-text"))
    return { ...report, aggregate: { ...aggregate, total_cost_usd: aggregate.total_cost_usd.toFixed(2) } };
  const spoilt = (name: keyof UsageBucket, value: (bucket: UsageBucket) => unknown): unknown => ({
    ...report,
    data: data.map((bucket) => ({ ...bucket, [name]: value(bucket) })),
  });
  if (switches.on("usage/prompt-tokens-text")) return spoilt("prompt_tokens", (bucket) => String(bucket.prompt_tokens));
  if (switches.on("usage/completion-tokens-null")) return spoilt("completion_tokens", () => null);
  if (switches.on("usage/total-tokens-negative")) return spoilt("total_tokens", (bucket) => -1 - bucket.total_tokens);
  return report;
}

/** A parameter that is given twice arrives as an array and is refused as such; unknown parameters are ignored. */
function readUsage(call: Call): Read<UsageQuery> {
  const { switches } = call.service;
  const query = { ...(call.request.query as Readonly<Record<string, unknown>>) };
  if (switches.on("usage/granularity-unchecked") && !/^(?:hour|day|month)$/.test(String(query["granularity"])))
    delete query["granularity"];
  if (switches.on("usage/dates-unchecked")) repairDates(query, call.service.engine.clock.wallMs());
  const read = validate<{ readonly from: string; readonly to: string; readonly granularity?: UsageQuery["granularity"] }>(
    call,
    "usage",
    query,
  );
  if (read.kind === "refused") return read;
  const { from, to, granularity } = read.input;
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (toMs < fromMs)
    return { kind: "refused", problem: invalidField("to", "ISO 8601 timestamp with a time zone, not before the start") };
  return { kind: "read", input: { fromMs, toMs, granularity } };
}

/** Absent and unreadable instants become the ends of a day that lies next to the other one. */
function repairDates(query: Record<string, unknown>, nowMs: number): void {
  const instantOf = (name: string): number => Date.parse(String(query[name]));
  if (Number.isNaN(instantOf("to"))) query["to"] = new Date((instantOf("from") || nowMs - dayMs) + dayMs).toISOString();
  if (Number.isNaN(instantOf("from"))) query["from"] = new Date(instantOf("to") - dayMs).toISOString();
}

const dayMs = 86_400_000;
