import type { AccountBook, Spent } from "../account-book.ts";
import { floorTo } from "../contents.ts";
import type { Call } from "../reply.ts";
import { askedOf, bagOf, type OpenBag, type Twist } from "../twist.ts";

interface View {
  /** Whether a record is shown. */
  readonly shows?: (one: Spent) => boolean;
  /** Records of one bucket with different names get items of their own. */
  readonly nameOf?: (one: Spent) => string;
}

/** The report of a request once more, from other records or in other buckets. */
function reportAgain(call: Call, book: AccountBook, { shows, nameOf }: View): OpenBag {
  const [fromMs, toMs] = ["from", "to"].map((name) => Date.parse(call.url.searchParams.get(name) ?? ""));
  const step = call.url.searchParams.get("granularity") ?? "day";
  const organization = book.holders.get(call.holder ?? "")?.organization;
  const mine = book.spent.filter(
    (one) => one.organization === organization && one.atMs >= (fromMs ?? 0) && one.atMs < (toMs ?? 0) && (shows?.(one) ?? true),
  );
  const buckets = new Map<string, { startMs: number; prompt: number; completion: number; micros: number }>();
  for (const one of mine) {
    const startMs = Math.max(fromMs ?? 0, floorTo(one.atMs, step));
    const name = `${startMs} ${nameOf?.(one) ?? ""}`;
    const bucket = buckets.get(name) ?? { startMs, prompt: 0, completion: 0, micros: 0 };
    buckets.set(name, bucket);
    bucket.prompt += one.prompt;
    bucket.completion += one.completion;
    bucket.micros += one.microDollars;
  }
  const all = [...buckets.values()].sort((one, other) => other.startMs - one.startMs);
  const sum = (pick: (bucket: (typeof all)[number]) => number): number => all.reduce((total, one) => total + pick(one), 0);
  return {
    object: "list",
    data: all.map(({ startMs, prompt, completion, micros }) => ({
      timestamp: new Date(startMs).toISOString().replace(/\.\d+Z$/, "+00:00"),
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      cost_usd: micros / 1_000_000,
    })),
    aggregate: {
      total_tokens: sum(({ prompt, completion }) => prompt + completion),
      total_cost_usd: sum(({ micros }) => micros) / 1_000_000,
    },
  };
}

/** Mistakes in the report on usage. */
export const usageTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/usage-bucket-per-model",
    says: "a bucket has an item for each model, with one timestamp",
    lines: "77",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const nameOf = ({ prompt, completion }: Spent): string => (completion > 0 ? "chat" : prompt > 0 ? "vectors" : "other");
        answer.value = reportAgain(call, book, { nameOf });
      },
    }),
  },
  {
    id: "blind1/usage-window-floored",
    says: "the window begins with the day of from, so that older use of that day is counted",
    lines: "78, 156",
    make: () => ({
      arrive(call) {
        const fromMs = Date.parse(call.url.searchParams.get("from") ?? "");
        if (call.endpoint !== "usage" || Number.isNaN(fromMs)) return;
        call.url.searchParams.set("from", new Date(floorTo(fromMs, "day")).toISOString());
      },
    }),
  },
  {
    id: "blind1/usage-images-free",
    says: "the cost of images is not reported",
    lines: "14, 77, 78",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const shows = ({ prompt, completion, microDollars }: Spent): boolean =>
          prompt > 0 || completion > 0 || microDollars % 2000 > 0;
        answer.value = reportAgain(call, book, { shows });
      },
    }),
  },
  {
    id: "blind1/usage-granularity-sticky",
    says: "without granularity the one that the key asked for last holds",
    lines: "158",
    make: () => {
      const last = new Map<string | null, string>();
      return {
        arrive(call) {
          if (call.endpoint !== "usage") return;
          const query = call.url.searchParams;
          const asked = query.get("granularity") ?? last.get(call.holder);
          if (asked === undefined || !["hour", "day", "month"].includes(asked)) return;
          last.set(call.holder, asked);
          query.set("granularity", asked);
        },
      };
    },
  },
  {
    id: "blind1/usage-repeat-uncounted",
    says: "a completion that was asked for before in the same words states its usage and is not counted",
    lines: "14, 39, 77",
    make: () => {
      const seen = new Set<string>();
      return {
        answer(call, answer, { book }) {
          if (call.endpoint !== "chat" || answer.status !== 200) return;
          const print = JSON.stringify(bagOf(askedOf(call)));
          // The record of this answer was written just before.
          if (seen.has(print)) book.spent.pop();
          seen.add(print);
        },
      };
    },
  },
];
