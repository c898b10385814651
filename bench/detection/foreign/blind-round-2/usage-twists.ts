import { floorTo } from "../contents.ts";
import { bagOf, listOf, type Twist } from "../twist.ts";
import { reportInBuckets } from "./report-in-buckets.ts";

const thirtyDaysMs = 30 * 86_400_000;
const labelOf = (unixMs: number): string => new Date(unixMs).toISOString().replace(/\.\d+Z$/, "+00:00");

function endOf(startMs: number, step: string): number {
  if (step === "hour") return startMs + 3_600_000;
  if (step === "day") return startMs + 86_400_000;
  const next = new Date(startMs);
  next.setUTCMonth(next.getUTCMonth() + 1, 1);
  return next.getTime();
}

/** Mistakes in the report on usage. */
export const usageTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/usage-columns-swapped",
    says: "prompt_tokens and completion_tokens of buckets are swapped",
    lines: "77",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const { prompt_tokens: prompt, completion_tokens: completion, ...rest } = bagOf(one);
          return { ...rest, prompt_tokens: completion, completion_tokens: prompt };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/usage-aggregate-of-all-time",
    says: "the aggregate holds all use of the account, also that outside the window",
    lines: "78, 156, 157",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const organization = book.holders.get(call.holder ?? "")?.organization;
        const all = book.spent.filter((one) => one.organization === organization);
        const aggregate = {
          total_tokens: all.reduce((sum, { prompt, completion }) => sum + prompt + completion, 0),
          total_cost_usd: all.reduce((sum, { microDollars }) => sum + microDollars, 0) / 1_000_000,
        };
        answer.value = { ...bagOf(answer.value), aggregate };
      },
    }),
  },
  {
    id: "blind2/usage-label-is-end",
    says: "timestamp is the end of the bucket",
    lines: "77",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const step = call.url.searchParams.get("granularity") ?? "day";
        const body = bagOf(answer.value);
        const data = listOf(body["data"]).map((one) => {
          const startMs = floorTo(Date.parse(String(bagOf(one)["timestamp"])), step);
          return { ...bagOf(one), timestamp: labelOf(endOf(startMs, step)) };
        });
        answer.value = { ...body, data };
      },
    }),
  },
  {
    id: "blind2/usage-month-of-30-days",
    says: "a month is 30 days, counted from 1970",
    lines: "77, 158, 245",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200 || call.url.searchParams.get("granularity") !== "month") return;
        const startOf = (unixMs: number): number => unixMs - (unixMs % thirtyDaysMs);
        answer.value = reportInBuckets(call, book, { startOf, labelOf });
      },
    }),
  },
];
