import { refuseFaults } from "../reply.ts";
import { askedOf, bagOf, listOf, type Twist } from "../twist.ts";
import { capBy } from "./cap-rule.ts";

const dayMs = 86_400_000;

/** Mistakes in usage reports, spend caps and settings. */
export const moneyTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/usage-bucket-costs-in-whole-cents",
    says: "the cost of each bucket is rounded to whole cents, that of the whole window is not",
    lines: "77, 78",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const value = bagOf(answer.value);
        const data = listOf(value["data"]).map(bagOf);
        answer.value = {
          ...value,
          data: data.map((bucket) => ({ ...bucket, cost_usd: Math.round(Number(bucket["cost_usd"]) * 100) / 100 })),
        };
      },
    }),
  },
  {
    id: "blind3/usage-hours-of-one-day-alone",
    says: "by the hour only buckets of the last 24 hours are listed, while the aggregate is of the whole window",
    lines: "77, 78, 158",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200 || call.url.searchParams.get("granularity") !== "hour") return;
        const value = bagOf(answer.value);
        const isRecent = (bucket: unknown): boolean => Date.parse(String(bagOf(bucket)["timestamp"])) > book.nowMs() - dayMs;
        answer.value = { ...value, data: listOf(value["data"]).filter(isRecent) };
      },
    }),
  },
  {
    id: "blind3/cap-costs-cut-to-cents",
    says: "the cost of each request is cut to whole cents before it counts toward a cap, so that cheap requests never reach one",
    lines: "84, 85, 230",
    make: () => ({
      open(book) {
        const inCents = ({ microDollars }: { microDollars: number }): number => Math.floor(microDollars / 10_000) * 10_000;
        capBy(book, { ofKey: inCents, ofAccount: inCents });
      },
    }),
  },
  {
    id: "blind3/ceiling-of-asking-key-alone",
    says: "the ceiling of the account is compared with what the asking key has spent, not with all keys together",
    lines: "85, 231",
    make: () => ({
      open(book) {
        capBy(book, { ofAccount: (one, asking) => (one.holder === asking ? one.microDollars : 0) });
      },
    }),
  },
  {
    id: "blind3/settings-cap-change-restarts-spending",
    says: "a change of the cap of a key starts its spending of the month at zero again",
    lines: "84, 164, 230",
    make: () => {
      const changed = new Map<string, number>();
      return {
        open(book) {
          capBy(book, { ofKey: (one, asking) => (one.atMs >= (changed.get(asking) ?? 0) ? one.microDollars : 0) });
        },
        answer({ endpoint, url, body }, { status }, { book }) {
          if (endpoint !== "key" || status !== 204 || askedOf({ body })?.["monthly_spend_cap"] === undefined) return;
          const [name] = [...book.holders].find(([, { id }]) => url.pathname.endsWith(`/${id}`)) ?? [];
          if (name !== undefined) changed.set(name, book.nowMs());
        },
      };
    },
  },
  {
    id: "blind3/settings-cooldown-alone-refused",
    says: "cooldown_seconds without burst_limit in the same body is answered 422",
    lines: "87, 164",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "key") return false;
        const asked = askedOf(call) ?? {};
        if (typeof asked["cooldown_seconds"] !== "number" || asked["burst_limit"] !== undefined) return false;
        refuseFaults(desk, call, [{ at: "burst_limit", want: "a whole number, beside cooldown_seconds" }]);
        return true;
      },
    }),
  },
];
