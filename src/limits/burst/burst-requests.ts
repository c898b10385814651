import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import { cheapBody } from "../probe/cheap-request.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";

export interface BurstExamSubject {
  readonly key: string;
  /** Must be served while `key` cools down; null when the manifest has none. */
  readonly otherKey: string | null;
  readonly other: { readonly endpoint: EndpointId; readonly path: string };
  /**
   * `one-volley`: used up at once. `queue`: so that more is held than the next allowance lets out, then one by one. `both`: one by one, and at once by what finds the cooldown over. `thorough`: each with an allowance that
   * is whole again, a second volley, and two minutes below the allowance.
   */
  readonly rounds: "one-volley" | "queue" | "both" | "thorough";
}

/** Requests per minute and seconds of cooldown that the exam sets. A cooldown longer than the minute leaves no other reason to refuse. */
export const burstSettingsOfExam = { burst_limit: 10, cooldown_seconds: 65 } as const;

type Phase = LimitPhases["burst"];

export function probeOf(tools: ProbeTools, subject: BurstExamSubject, phase: Phase): ExamRequest {
  return { policy: "burst", phase, key: subject.key, endpoint: "models", timeoutMs: patienceMs(tools), timedByInstant: true };
}

/**
 * How long answers to the requests of a round are waited for after its begin: longer than twice the cooldown. Time limits are real time:
 * on a virtual clock a cooldown passes in moments.
 */
function patienceMs({ manifest }: ProbeTools): number {
  return manifest.control === null ? (burstSettingsOfExam.cooldown_seconds * 2.2 + 10) * 1000 : 12_000;
}

/** The request as it is sent so long after its round began: all are waited for until the same instant. */
export function withinRound(tools: ProbeTools, probe: ExamRequest, startMs: number): ExamRequest {
  if (tools.manifest.control !== null) return probe;
  return { ...probe, timeoutMs: Math.max(10_000, startMs + patienceMs(tools) - tools.clock.nowMs()) };
}

/**
 * The other endpoints that the manifest names a model for and permits spending on, streams first: the cooldown must close each
 * of them.
 */
export function waysIn(tools: ProbeTools, probe: ExamRequest): readonly ExamRequest[] {
  const { manifest } = tools;
  const ways = [["chat", true] as const, ["embeddings", false] as const, ["transcriptions", false] as const];
  const paid = manifest.permissions.spendUpToCents === 0 ? [] : ways;
  const open = paid.flatMap(([endpoint, streamed]): readonly ExamRequest[] => {
    const body = cheapBody(endpoint, manifest, streamed);
    return body === null ? [] : [{ ...probe, endpoint, body }];
  });
  return open.length === 0 ? [probe] : open;
}

/** The endpoint itself and another one in turn, with one of each other way in between: all of them count. */
export function wayInOf(tools: ProbeTools, subject: BurstExamSubject, probe: ExamRequest, count: number): ExamRequest {
  const paid = count === 3 || count === 5 || count === 7 ? waysIn(tools, probe)[(count - 3) / 2] : undefined;
  return paid ?? (count % 2 === 0 ? probe : { ...probe, ...subject.other });
}
