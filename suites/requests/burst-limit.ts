import { burstPurpose } from "../../src/conformance/judging/subjects.ts";
import type { LabelSeries } from "../../src/conformance/judging/label-series.ts";
import type { CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { keyChange } from "./settings-target.ts";

type BurstSettings = Readonly<Partial<Record<"burst_limit" | "cooldown_seconds", number>>>;

/** The smallest lawful limit is not stated: a target that refuses this one only leaves the effect unseen. */
export function lowerBurst(manifest: Manifest, label: string, value: BurstSettings): CaseRequest {
  return keyChange(manifest, label, value, {
    kind: "housekeeping",
    purpose: "lower a burst limit",
    answers: ["2xx", 400, 422],
  });
}

export const exceeding: Intent = { kind: "housekeeping", purpose: burstPurpose, answers: ["2xx", 429, "queued"] };

const pauseMs = 10_000;

/** How often a limit is tried before the propagation time is over. */
export function roundsWithin(propagationSeconds: number): number {
  return 1 + Math.ceil((propagationSeconds * 1000) / pauseMs);
}

interface UntilRefused {
  readonly labels: LabelSeries<[round: number, count: number]>;
  readonly limit: number;
  readonly rounds: number;
}

/** Sends what costs nothing, one request more than the limit, again and again until one is refused; null: none was in so many rounds. */
export async function untilRefused(
  tools: CaseTools,
  request: Omit<CaseRequest, "label" | "endpoint">,
  { labels, limit, rounds }: UntilRefused,
): Promise<ExchangeFacts | null> {
  for (let round = 1; round <= rounds; round += 1) {
    for (let count = 1; count <= limit + 1; count += 1) {
      const sent = await tools.send({ ...request, endpoint: "models", label: labels.label(round, count) });
      if (sent.status === 429) return sent;
    }
    if (round < rounds) await tools.sleep(pauseMs);
  }
  return null;
}
