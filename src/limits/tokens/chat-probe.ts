import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";

/** The openings of the prompts; the cheapest asks for no answer. */
const openings = { nothing: "", yes: "Answer yes, whatever this is: ", story: "Write a long story about this: " } as const;

export interface ChatSize {
  readonly words: number;
  readonly maxTokens: number;
  readonly asks?: keyof typeof openings;
  readonly stream?: boolean;
  /** Prompts with the same name here are the same. Absent: one differs from its first word on, so that no cache holds its begin. */
  readonly sameAs?: string;
}

/** A request as small as a reading needs. */
export const tiny: ChatSize = { words: 2, maxTokens: 1 };

/** A request of the token exam: filler of so many words behind an opening. */
export function chatProbe(tools: ProbeTools, key: string, phase: LimitPhases["tokens"], size: ChatSize): ExamRequest {
  const { words, maxTokens, asks = "nothing", stream = false, sameAs } = size;
  const filler = Array.from({ length: words }, (_, index) => (index % 2 === 0 ? "count" : "words")).join(" ");
  const value = {
    model: tools.manifest.models.chat,
    messages: [{ role: "user", content: openings[asks] + filler }],
    max_tokens: maxTokens,
    ...(stream ? { stream: true } : {}),
  };
  const same = sameAs === undefined ? {} : { sameAs };
  return { policy: "tokens", phase, key, endpoint: "chat", body: { kind: "json", value }, ...same };
}
