import type { UsageBucket, UsageReport } from "../../engine/usage/usage-report.ts";
import { lawfulReportShape, type ReportShape } from "../../http/endpoints/report-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

type Query = Readonly<Record<string, unknown>>;

const dayMs = 86_400_000;

export function patchReportShape(switches: Switchboard): ReportShape {
  const lawful = lawfulReportShape;
  const isSameKeyAgain = createSameKeyAgain();
  return {
    query: (asked, nowMs) => {
      const query = lawful.query(asked, nowMs);
      const known = switches.on("usage/granularity-unchecked") ? withoutUnknownGranularity(query) : query;
      return switches.on("usage/dates-unchecked") ? withRepairedDates(known, nowMs) : known;
    },
    report: firstChange(switches, lawful.report, {
      "usage/kinds-exchanged": (report) => withKindsExchanged(report),
      "usage/kinds-exchanged-by-month": (report, { granularity }) =>
        granularity === "month" ? withKindsExchanged(report) : report,
      "usage/kinds-exchanged-by-hour": (report, { granularity }) =>
        granularity === "hour" ? withKindsExchanged(report) : report,
      "usage/kinds-exchanged-for-other-key": (report, { keyId }) => (isSameKeyAgain(keyId) ? report : withKindsExchanged(report)),
      "usage/all-tokens-of-prompts": (report) => ({
        ...report,
        data: report.data.map((bucket) => ({ ...bucket, prompt_tokens: bucket.total_tokens, completion_tokens: 0 })),
      }),
      "usage/cost-by-hour-half": (report, { granularity }) => (granularity === "hour" ? withHalfCost(report) : report),
      "usage/object-wrong": (report) => ({ ...report, object: "usage" }),
      "usage/named-buckets": ({ object, data, aggregate }) => ({ object, buckets: data, aggregate }),
      "usage/aggregate-absent": ({ object, data }) => ({ object, data }),
      "usage/aggregate-tokens-text": (report) => ({
        ...report,
        aggregate: { ...report.aggregate, total_tokens: String(report.aggregate.total_tokens) },
      }),
      "usage/aggregate-cost-text": (report) => ({
        ...report,
        aggregate: { ...report.aggregate, total_cost_usd: report.aggregate.total_cost_usd.toFixed(2) },
      }),
      "usage/prompt-tokens-text": (report) => withMember(report, "prompt_tokens", (bucket) => String(bucket.prompt_tokens)),
      "usage/completion-tokens-null": (report) => withMember(report, "completion_tokens", () => null),
      "usage/total-tokens-negative": (report) => withMember(report, "total_tokens", (bucket) => -1 - bucket.total_tokens),
    }),
  };
}

/** The sum of the two stays. */
function withKindsExchanged(report: UsageReport): object {
  const data = report.data.map((bucket) => ({
    ...bucket,
    prompt_tokens: bucket.completion_tokens,
    completion_tokens: bucket.prompt_tokens,
  }));
  return { ...report, data };
}

function withHalfCost({ aggregate, ...report }: UsageReport): object {
  const data = report.data.map((bucket) => ({ ...bucket, cost_usd: Number(bucket.cost_usd) / 2 }));
  return { ...report, data, aggregate: { ...aggregate, total_cost_usd: aggregate.total_cost_usd / 2 } };
}

/** Whether the key that asks is the one that asked before, or nobody did. */
function createSameKeyAgain(): (keyId: string) => boolean {
  let last: string | null = null;
  return (keyId) => {
    const isSame = last === null || last === keyId;
    last = keyId;
    return isSame;
  };
}

function withMember(report: UsageReport, name: keyof UsageBucket, value: (bucket: UsageBucket) => unknown): object {
  return { ...report, data: report.data.map((bucket) => ({ ...bucket, [name]: value(bucket) })) };
}

function withoutUnknownGranularity(query: Query): Query {
  const { granularity, ...rest } = query;
  return /^(?:hour|day|month)$/.test(String(granularity)) ? query : rest;
}

/** Absent and unreadable instants become the ends of a day that lies next to the other one. */
function withRepairedDates(query: Query, nowMs: number): Query {
  const instantOf = (name: string): number => Date.parse(String(query[name]));
  const [from, to] = [instantOf("from"), instantOf("to")];
  const toMs = Number.isNaN(to) ? (from || nowMs - dayMs) + dayMs : to;
  return {
    ...query,
    ...(Number.isNaN(to) ? { to: new Date(toMs).toISOString() } : {}),
    ...(Number.isNaN(from) ? { from: new Date(toMs - dayMs).toISOString() } : {}),
  };
}
