import { setMaxListeners } from "node:events";
import { judgeEach, judgeExchanges } from "../conformance/verdict/judge-exchanges.ts";
import type { JudgedOccurrence } from "../conformance/verdict/judged-occurrence.ts";
import type { Judge } from "../conformance/judging/judge.ts";
import type { Case } from "../conformance/plan/case.ts";
import { planConformance } from "../conformance/plan/plan-conformance.ts";
import { runConformance } from "../conformance/send/run-conformance.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Exchange } from "../core/exchange/exchange.ts";
import { createRandom } from "../core/random.ts";
import { createMemoryJournal } from "../settings/settings-journal.ts";
import { createRealClock } from "../wire/clock/real-clock.ts";
import { createWire } from "../wire/client/wire.ts";
import { openJudgeContext } from "./judge-context.ts";
import { readRunRequest } from "./request/read-run-request.ts";
import type { RunRequest } from "./request/run-request.ts";

/** Cases and judges of one's own, and the target that they are for. */
export interface ExamineRequest extends Pick<
  RunRequest,
  "baseUrl" | "key" | "config" | "manifest" | "seed" | "signal" | "onProgress" | "env"
> {
  readonly cases: readonly Case[];
  readonly judges: readonly Judge[];
}

export interface Examination {
  readonly exchanges: readonly Exchange[];
  /** The statements of the judges about each subject, passes included; no verdict is formed. */
  readonly occurrences: readonly JudgedOccurrence[];
  /** Cases that were not sent or not finished, with the reason. */
  readonly unfinished: ReadonlyMap<string, string>;
}

/**
 * Sends cases of one's own with the pacing, budget and redaction of a run, and applies judges of one's own to what came back. Nothing is
 * written, and what a case changes of the settings is put back only while the process lives. Rejects with a ConfigError where
 * the request cannot be used.
 */
export async function examine({ cases, judges, ...request }: ExamineRequest): Promise<Examination> {
  const { manifest, seed, signal, onProgress } = readRunRequest({ ...request, stages: ["conformance"] });
  if (manifest === null) {
    const words = { message: "no target is given", expected: "baseUrl, config or manifest", suggestion: null };
    throw new ConfigError([{ file: "options", line: null, member: "baseUrl", ...words }]);
  }
  setMaxListeners(0, signal);
  const plan = planConformance(cases, manifest, { suites: [], cases: [] });
  const context = openJudgeContext(manifest);
  const clock = createRealClock();
  const sender = createWire({ manifest, clock });
  try {
    const random = createRandom(seed);
    const journal = createMemoryJournal();
    const sent = await runConformance({ plan, manifest, sender, clock, random, judges, context, journal, onProgress, signal });
    const refused = sent.refusal === null ? [] : cases.map(({ id }) => [id, sent.refusal!.reason] as const);
    const skipped = plan.skipped.map(({ case: { id }, unmet }) => [id, `${unmet.reason}: ${unmet.text}`] as const);
    return {
      exchanges: sent.exchanges,
      occurrences: judgeExchanges(sent.exchanges, judges, context, judgeEach(sent.exchanges, judges, context, sent.judged)),
      unfinished: new Map([...refused, ...sent.unfinished, ...skipped]),
    };
  } finally {
    await sender.close();
  }
}
