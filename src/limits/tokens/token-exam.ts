import type { LimitOp } from "../op.ts";
import type { Probe, ProbeTools } from "../probes/probe-tools.ts";

/** Requests between which `remaining-tokens` is compared: long prompt or long answer, streamed or not. */
const shapes = [
  { label: "prompt", words: 260, maxTokens: 16, stream: false },
  { label: "answer", words: 6, maxTokens: 220, stream: false },
  { label: "stream-prompt", words: 260, maxTokens: 16, stream: true },
  { label: "stream-answer", words: 6, maxTokens: 220, stream: true },
] as const;

/** Requests of the exam at most, for the plan. */
export const tokenExamRequests = 24;

/**
 * The same small request before and after each shape: whatever part of a request the header already counts, it counts it in
 * both, so that the difference is the charge of what came in between. Each starts after the body of the one before ended.
 */
export async function runTokenExam(
  tools: ProbeTools,
  subject: { readonly key: string; readonly exhaust: boolean },
): Promise<void> {
  tools.enter("tokens: what each kind of request is charged");
  let reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
  const leftMs = reading.tokens.resetMs === null ? null : reading.tokens.resetMs - (reading.dateMs ?? tools.clock.wallMs());
  const used = (reading.tokens.limit ?? 0) - (reading.tokens.remaining ?? 0) > (reading.tokens.limit ?? 0) / 4;
  if (leftMs !== null && leftMs > 0 && leftMs < tools.windowMs * 1.1 && (used || leftMs < 20_000)) {
    await tools.sleep(leftMs + 2600, "waiting for a fresh token window");
    reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
  }
  for (const shape of shapes) {
    await tools.send(chat(tools, subject.key, `charge-${shape.label}`, shape.words, shape.maxTokens, shape.stream));
    // Charges may settle late; a reading that is taken twice is compared by its second.
    await tools.sleep(1200, "charges settle");
    reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
  }
  // A pause that no refill could hide in.
  await tools.sleep(3000, "a pause shows whether tokens refill");
  reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
  if (!subject.exhaust) return;
  tools.enter("tokens: beyond the limit");
  await exhaustTokens(tools, subject.key, reading);
}

async function exhaustTokens(tools: ProbeTools, key: string, reading: LimitOp): Promise<void> {
  const limit = reading.tokens.limit;
  if (limit === null || limit > 20_000) return;
  let last = reading;
  let sum = 0;
  for (let count = 0; count < 14 && last.outcome === "admitted" && sum < 1.6 * limit; count += 1) {
    last = await tools.send(chat(tools, key, "exhaust", 500, 64, false));
    sum += last.usedTokens ?? 500;
  }
  if (last.outcome === "rejected") await tools.send(chat(tools, key, "exhausted", 2, 1, false));
}

function chat(tools: ProbeTools, key: string, phase: string, words: number, maxTokens: number, stream: boolean): Probe {
  const content = Array.from({ length: words }, (_, index) => (index % 2 === 0 ? "count" : "words")).join(" ");
  const value = {
    model: tools.manifest.models.chat,
    messages: [{ role: "user", content }],
    max_tokens: maxTokens,
    ...(stream ? { stream: true } : {}),
  };
  return { policy: "tokens", phase, key, endpoint: "chat", body: { kind: "json", value } };
}
