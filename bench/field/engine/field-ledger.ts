import type { FieldBucket, FieldEntry, FieldRules } from "./field-rules.ts";
import { instantOf } from "./read-field-request.ts";

const usdPerToken = 1e-6;

function bucketStart(atMs: number, granularity: string): string {
  const text = new Date(atMs).toISOString();
  const kept = { hour: 13, day: 10, month: 7 }[granularity] ?? 10;
  return `${text.slice(0, kept)}${"0000-01-01T00:00:00Z".slice(kept)}`;
}

/** The bill of the one account. */
export class FieldLedger {
  readonly #entries: FieldEntry[] = [];

  add(entries: readonly FieldEntry[]): void {
    this.#entries.push(...entries.filter(({ prompt, completion }) => prompt + completion > 0));
  }

  report(query: URLSearchParams, rules: FieldRules): object {
    const [from, to] = rules.range(instantOf(query.get("from"))!, instantOf(query.get("to"))!);
    const granularity = query.get("granularity") ?? "day";
    const buckets = new Map<string, FieldBucket>();
    let tokens = 0;
    for (const { atMs, prompt, completion } of this.#entries) {
      if (atMs < from || atMs >= to) continue;
      tokens += prompt + completion;
      const timestamp = bucketStart(atMs, granularity);
      const known = buckets.get(timestamp);
      const total = (known?.total_tokens ?? 0) + prompt + completion;
      buckets.set(timestamp, {
        timestamp,
        prompt_tokens: (known?.prompt_tokens ?? 0) + prompt,
        completion_tokens: (known?.completion_tokens ?? 0) + completion,
        total_tokens: total,
        cost_usd: total * usdPerToken,
      });
    }
    return {
      object: "list",
      data: rules.buckets([...buckets.values()], query),
      aggregate: { total_tokens: rules.total(tokens, query), total_cost_usd: tokens * usdPerToken },
    };
  }
}
