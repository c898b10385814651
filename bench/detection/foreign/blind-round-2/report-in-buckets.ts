import type { AccountBook, Spent } from "../account-book.ts";
import type { Call } from "../reply.ts";
import type { OpenBag } from "../twist.ts";

interface Buckets {
  /** The first instant of the bucket in which an instant lies. */
  readonly startOf: (unixMs: number, step: string) => number;
  readonly labelOf: (startMs: number) => string;
}

/** The report of a request once more, in other buckets or under other labels; newest first and only those with use. */
export function reportInBuckets({ url, holder }: Call, book: AccountBook, { startOf, labelOf }: Buckets): OpenBag {
  const [fromMs = 0, toMs = 0] = ["from", "to"].map((name) => Date.parse(url.searchParams.get(name) ?? ""));
  const step = url.searchParams.get("granularity") ?? "day";
  const organization = book.holders.get(holder ?? "")?.organization;
  const mine = book.spent.filter((one) => one.organization === organization && one.atMs >= fromMs && one.atMs < toMs);
  const total = (list: readonly Spent[], pick: (one: Spent) => number): number => list.reduce((sum, one) => sum + pick(one), 0);
  const sums = (list: readonly Spent[]): readonly [prompt: number, completion: number, dollars: number] => [
    total(list, ({ prompt }) => prompt),
    total(list, ({ completion }) => completion),
    total(list, ({ microDollars }) => microDollars) / 1_000_000,
  ];
  const starts = [...new Set(mine.map(({ atMs }) => Math.max(fromMs, startOf(atMs, step))))].sort((one, other) => other - one);
  const data = starts.map((startMs) => {
    const [prompt, completion, dollars] = sums(mine.filter(({ atMs }) => Math.max(fromMs, startOf(atMs, step)) === startMs));
    return {
      timestamp: labelOf(startMs),
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      cost_usd: dollars,
    };
  });
  const [prompt, completion, dollars] = sums(mine);
  return { object: "list", data, aggregate: { total_tokens: prompt + completion, total_cost_usd: dollars } };
}
