import { setTimeout as delay } from "node:timers/promises";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadResult } from "../../core/result/load-result.ts";
import type { OpenTarget } from "../open-target.ts";
import type { RunSession } from "../run-session.ts";
import { preflight } from "./preflight.ts";

/** Pause, so that this request shares no second with the last of the load, whose rate may be all that is permitted. */
const pauseMs = 1_000;

/** Requests that stayed without an answer. */
const lostOutcomes: readonly OutcomeClass[] = ["transport-error", "timed-out", "interrupted"];

/**
 * Asks the target once more after a load of which some requests stayed without an answer. A closed loop sends nothing while it
 * waits: a target that stops answering half way costs it one request, and a small share of errors says nothing about the rest.
 */
export async function confirmAnswering(
  session: RunSession,
  { manifest, clock, server }: OpenTarget,
  load: LoadResult,
): Promise<void> {
  const { signal, onProgress } = session.options;
  const last = load.profiles.at(-1);
  const lost = lostOutcomes.reduce((sum, outcome) => sum + (last?.outcomes[outcome] ?? 0), 0);
  if (server !== null || lost === 0 || signal.aborted) return;
  await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  const wire = session.openWire(manifest, clock);
  try {
    // Whether it answers is all that is asked; a refusal by a limit that the load has used up is an answer.
    const { refusal } = await preflight(manifest, wire, { onProgress, signal, stages: ["conformance"] });
    if (refusal !== null) session.invalidBecause.push(`the target stopped answering during load ${last?.id}: ${refusal}`);
  } finally {
    await wire.close();
  }
}
