import type { LoadLimitCheck } from "./gate-result.ts";
import type { Verdict } from "./verdict.ts";

/** Requests of a second key while a load runs: how other customers of the target are served meanwhile. */
export interface ProbeResult {
  /** Name in the manifest. */
  readonly key: string;
  /** Between two requests. */
  readonly everySeconds: number;
  /** `inconclusive`: no answer could be judged. */
  readonly verdict: Verdict;
  readonly reason: string;
  readonly sent: number;
  /** The last seconds of the load in which it sent nothing; absent where it asked until the end. */
  readonly silentSeconds?: number;
  /** Whole answers, whatever their status. */
  readonly answered: number;
  /** Requirements that its answers were held to. */
  readonly requirements: number;
  /** Those of them that its answers violate. */
  readonly violated: readonly string[];
  readonly operations: readonly ProbeOperation[];
  /** Every limit check that its requests gave anything to. */
  readonly limitChecks: readonly LoadLimitCheck[];
}

export type ProbeAsk = "models" | "chat" | "chat-stream" | "error";

/** `error`: chat without messages, which is refused with the shape of an error. */
export interface ProbeOperation {
  readonly operation: ProbeAsk;
  readonly sent: number;
  /** Answered as asked: 2xx; for `error` another 4xx than 429. */
  readonly ok: number;
  /** 429. */
  readonly refused: number;
  /** From sending to the end of the answer, of those that are ok; null without any. */
  readonly latencyMs: ProbeTimes | null;
  /** To the first token of a stream. */
  readonly ttftMs: ProbeTimes | null;
}

export interface ProbeTimes {
  readonly answers: number;
  readonly median: number;
  readonly max: number;
}
