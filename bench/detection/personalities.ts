import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { Variant } from "../../src/reference/switches/switch.ts";
import type { Random } from "../../src/core/random.ts";

/** A whole lawful server: a name and the variants that it takes together. */
export interface Personality {
  readonly name: string;
  readonly variants: readonly string[];
}

/** Used while checks are written; what they are worth shows on drawn ones. */
export const knownPersonalities: readonly Personality[] = [
  { name: "plain", variants: [] },
  {
    name: "behind a proxy",
    variants: ["transport/close-per-response", "headers/names-title-case", "headers/json-charset", "transport/chunked-bodies"],
  },
  {
    name: "terse",
    variants: [
      "errors/details-other-names",
      "errors/details-empty-for-malformed-json",
      "auth/no-challenge",
      "settings/patch-204",
    ],
  },
  { name: "sliding log", variants: ["limits/sliding-log", "limits/retry-after-header-only", "limits/reset-floor"] },
  { name: "token bucket", variants: ["limits/token-bucket", "limits/retry-after-date", "headers/clock-ahead"] },
  { name: "cell rate", variants: ["limits/gcra", "limits/remaining-late-read", "stream/usage-always"] },
  {
    name: "aliases",
    variants: ["models/alias-resolved", "chat/unknown-finish-reason", "transport/extra-members", "errors/unknown-model-422"],
  },
  { name: "late reports", variants: ["usage/report-lags", "settings/delayed", "usage/empty-buckets-omitted"] },
  { name: "another time zone", variants: ["usage/local-time", "headers/clock-behind"] },
  {
    name: "strict cap",
    variants: [
      "spend/all-endpoints-refused",
      "spend/retry-after-header",
      "limits/rejections-count",
      "limits/client-errors-count",
    ],
  },
  {
    name: "other streams",
    variants: ["stream/crlf", "stream/comments", "stream/ids", "stream/named-events", "stream/split-characters"],
  },
  {
    name: "older stack",
    variants: ["errors/405-for-methods", "errors/415-for-media-types", "settings/other-json-400", "embeddings/batch-digits"],
  },
  {
    name: "account first",
    variants: ["spend/account-first", "spend/after-crossing", "usage/report-in-steps", "embeddings/entries-as-text"],
  },
  { name: "small bucket", variants: ["limits/burst-below-limit", "stream/multi-line", "images/url-private"] },
];

/** With a clock that stands still between jumps nobody would leave these queues, or answers wait on real timers. */
const needsFlowingTime: ReadonlySet<string> = new Set(["burst/queue", "burst/queue-lifo"]);

const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && !needsFlowingTime.has(one.id));

function clash(one: Variant, other: Variant): boolean {
  return (one.excludes ?? []).includes(other.id) || (other.excludes ?? []).includes(one.id);
}

function personalityOf(chosen: readonly Variant[]): Personality {
  const ids = chosen.map(({ id }) => id).sort();
  return { name: ids.join(" + "), variants: ids };
}

/** As many variants as asked for that do not contradict each other, drawn from all. */
export function drawPersonality(random: Random, size: number): Personality {
  const chosen: Variant[] = [];
  for (let tries = 0; chosen.length < size && tries < 100; tries += 1) {
    const one = variants[random.integer(0, variants.length - 1)];
    if (one !== undefined && !chosen.includes(one) && !chosen.some((other) => clash(one, other))) chosen.push(one);
  }
  return personalityOf(chosen);
}

/** Every two variants that can stand together, as `a b`. */
export function lawfulPairs(): readonly string[] {
  return variants.flatMap((one, index) =>
    variants.slice(index + 1).flatMap((other) => (clash(one, other) ? [] : [`${one.id} ${other.id}`])),
  );
}

/** A covering array: personalities of at most `size` variants in which every lawful pair stands together at least once. */
export function coveringPersonalities(random: Random, size: number): readonly Personality[] {
  const missing = new Set(lawfulPairs());
  const isMissing = (one: Variant, other: Variant): boolean =>
    missing.has(`${one.id} ${other.id}`) || missing.has(`${other.id} ${one.id}`);
  const found: Personality[] = [];
  while (missing.size > 0) {
    const open = [...missing];
    const first = (open[random.integer(0, open.length - 1)] ?? "").split(" ");
    const chosen = variants.filter(({ id }) => first.includes(id));
    while (chosen.length < size) {
      const fitting = variants.filter((one) => !chosen.includes(one) && !chosen.some((other) => clash(one, other)));
      const gains = fitting.map((one) => [one, chosen.filter((other) => isMissing(one, other)).length] as const);
      const best = Math.max(0, ...gains.map(([, gain]) => gain));
      const candidates = gains.filter(([, gain]) => gain === best);
      const next = best === 0 ? undefined : candidates[random.integer(0, candidates.length - 1)]?.[0];
      if (next === undefined) break;
      chosen.push(next);
    }
    for (const one of chosen) for (const other of chosen) missing.delete(`${one.id} ${other.id}`);
    found.push(personalityOf(chosen));
  }
  return found;
}
