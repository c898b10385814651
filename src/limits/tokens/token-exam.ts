import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../history/op.ts";
import type { Probe, ProbeTools } from "../exam/probe-tools.ts";

/** Requests between which `remaining-tokens` is compared: long prompt or long answer, streamed or not. */
const shapes = [
  { label: "prompt", isLong: true, maxTokens: 16, stream: false },
  { label: "answer", isLong: false, maxTokens: 220, stream: false },
  { label: "stream-prompt", isLong: true, maxTokens: 16, stream: true },
  { label: "stream-answer", isLong: false, maxTokens: 220, stream: true },
] as const;

/** How long after the end of its answer a request may be charged. */
export const chargeDelayMs = 2000;

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
  const used = (reading.tokens.limit ?? 0) - (reading.tokens.remaining ?? 0) > (reading.tokens.limit ?? 0) / 4;
  reading = await freshWindow(tools, subject.key, reading, used ? 1.1 * tools.windowMs : 20_000);
  // More than a refill brings back until the charge has settled, less than the allowance of all four.
  const longWords = Math.max(260, Math.min(2400, Math.floor((reading.tokens.limit ?? 0) / 5)));
  for (const shape of shapes) {
    const charged = await tools.send(
      chat(tools, subject.key, `charge-${shape.label}`, shape.isLong ? longWords : 6, shape.maxTokens, shape.stream),
    );
    const before = reading;
    await tools.sleep(1200, "charges settle");
    reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
    // Charges may be counted late: a reading that does not fit is taken again, and the second one counts.
    if (!fits(before, charged, reading)) {
      await tools.sleep(2500, "charges settle");
      reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
    }
  }
  // A pause that no refill could hide in.
  await tools.sleep(3000, "a pause shows whether tokens refill");
  reading = await tools.send(chat(tools, subject.key, "reading", 2, 1, false));
  if (!subject.exhaust) return;
  tools.enter("tokens: beyond the limit");
  const fresh = await freshWindow(tools, subject.key, reading, 16_000);
  await exhaustTokens(tools, subject.key, await spendTogether(tools, subject.key, fresh));
}

/** Simultaneous requests at once, of a sixth of the limit together. */
const together = 6;

/** All of them are to be charged: a reading before, and one when every charge has settled. */
async function spendTogether(tools: ProbeTools, key: string, reading: LimitOp): Promise<LimitOp> {
  const words = Math.max(20, Math.min(400, Math.floor((reading.tokens.limit ?? 0) / 36)));
  await tools.burst(chat(tools, key, "together", words, 8, false), together);
  await tools.sleep(chargeDelayMs + 500, "charges settle");
  return tools.send(chat(tools, key, "together-after", 2, 1, false));
}

/** Waits for the next window where this one ends too soon; the label of a bucket that is nearly full costs moments. */
async function freshWindow(tools: ProbeTools, key: string, reading: LimitOp, neededMs: number): Promise<LimitOp> {
  const leftMs = reading.tokens.resetMs === null ? null : reading.tokens.resetMs - (reading.dateMs ?? tools.clock.wallMs());
  if (leftMs === null || leftMs <= 0 || leftMs >= Math.min(neededMs, 1.1 * tools.windowMs)) return reading;
  await tools.sleep(leftMs + 2600, "waiting for a fresh token window");
  return tools.send(chat(tools, key, "reading", 2, 1, false));
}

function fits(before: LimitOp, charged: LimitOp, after: LimitOp): boolean {
  if (before.tokens.remaining === null || after.tokens.remaining === null || charged.usedTokens === null) return false;
  const fell = before.tokens.remaining - after.tokens.remaining;
  return fell >= charged.usedTokens && fell <= 1.2 * charged.usedTokens + 8;
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
  // What was used has been charged by then.
  await tools.sleep(chargeDelayMs + 500, "charges settle");
  if (last.outcome === "admitted" && sum >= limit) last = await tools.send(chat(tools, key, "exhaust", 500, 64, false));
  await tools.send(chat(tools, key, "exhausted", 2, 1, false));
}

function chat(
  tools: ProbeTools,
  key: string,
  phase: LimitPhases["tokens"],
  words: number,
  maxTokens: number,
  stream: boolean,
): Probe {
  const content = Array.from({ length: words }, (_, index) => (index % 2 === 0 ? "count" : "words")).join(" ");
  const value = {
    model: tools.manifest.models.chat,
    messages: [{ role: "user", content }],
    max_tokens: maxTokens,
    ...(stream ? { stream: true } : {}),
  };
  return { policy: "tokens", phase, key, endpoint: "chat", body: { kind: "json", value } };
}
