import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../history/op.ts";
import { shortestWait } from "../history/shortest-wait.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chatProbe, type ChatSize, tiny } from "./chat-probe.ts";
import { freshWindow } from "./fresh-window.ts";
import { leavePrompt } from "./leave-prompt.ts";

const size: ChatSize = { ...leavePrompt, asks: "story", stream: true };
/** Streams that are left in each of three ways, at most. */
const mostEachWay = 5;
/** Fewer than so many slots would hardly be all that a service has. */
const fewestEachWay = 2;
const uploads = 3;
/** Requests beside the streams: one that is read whole, uploads and readings. */
const besides = 10;
/** The head and the first tokens. */
const earlyBytes = 400;
/** The last bytes of a stream, `data: [DONE]` and two ends of line among them. */
const lastBytes = 8;
/** Readings until the charge of streams that were left must show. */
const mostReadings = 3;
/** No window is waited for with which the exam would take longer. */
const longestExamWindows = 2.1;

/**
 * Leaves many streams, just before their end, after some tokens and with the head, and in the full exam some uploads half way: then a small request is
 * served as before. If it is not, it is sent once more when a whole window has passed in silence: by then all that they used is back.
 */
export async function leaveMany(tools: ProbeTools, key: string, startedMs: number): Promise<void> {
  tools.enter("tokens: many clients that leave");
  let before = await read(tools, key, "left-reading");
  if (roomFor(before) < mostEachWay && tools.clock.nowMs() < startedMs + (longestExamWindows - 1) * tools.windowMs)
    before = await freshWindow(tools, key, before, 1.1 * tools.windowMs);
  const each = roomFor(before);
  if (each < fewestEachWay || before.outcome !== "admitted") {
    const text = `${before.requests.remaining ?? "no"} requests and ${before.tokens.remaining ?? "no"} tokens remained for them`;
    return tools.notJudged({ policy: "streams that clients leave, tokens", text });
  }
  const stream = (phase: LimitPhases["tokens"]): ExamRequest => chatProbe(tools, key, phase, size);
  await tools.send(stream("left-whole"));
  const whole = tools.sent.at(-1)?.response?.stream?.bytes ?? 2 * earlyBytes;
  await tools.sleep(1200, "charges settle");
  let last = await read(tools, key, "left-reading");
  for (const [phase, leaveAfterBytes] of [
    ["left-late", Math.max(1, whole - lastBytes)],
    ["left-early", Math.min(earlyBytes, Math.ceil(whole / 2))],
    ["left-at-head", 0],
  ] as const) {
    const from = last.tokens.remaining ?? 0;
    await tools.burst({ ...stream(phase), leaveAfterBytes }, each);
    await tools.sleep(phase === "left-late" ? chargeDelayMs + 200 : 1200, "charges settle");
    last = await read(tools, key, "left-reading");
    const most = phase === "left-at-head" ? 1 : mostReadings;
    for (let count = 1; count < most && isDue(last, from, each); count += 1) {
      await tools.sleep(chargeDelayMs + 500, "charges settle");
      last = await read(tools, key, "left-reading");
    }
  }
  // Last of all, and in the full exam: programs that read a body without care end with it.
  for (let count = 0; count < uploads && tools.exam === "full"; count += 1) {
    const upload = stream("left-upload");
    const bytes = upload.body?.kind === "json" ? JSON.stringify(upload.body.value).length : 2;
    await tools.send({ ...upload, leaveUploadAfterBytes: Math.floor(bytes / 2) });
  }
  await tools.sleep(500, "the service notices who left");
  last = await read(tools, key, "left-reading");
  if (last.outcome === "admitted") return;
  const waitMs = Math.min((shortestWait(last.retry)?.seconds ?? 0) * 1000, 2 * tools.windowMs);
  const silentMs = Math.max(waitMs, tools.windowMs) + afterWaitMs + 1000;
  await tools.sleep(silentMs, "refused after clients left: a whole window in silence");
  await read(tools, key, "left-again");
}

function isDue(last: LimitOp, from: number, streams: number): boolean {
  return last.outcome === "admitted" && from - (last.tokens.remaining ?? from) < streams * size.words;
}

/** Streams that a window has room for, in each way. */
function roomFor({ requests, tokens }: LimitOp): number {
  const byRequests = ((requests.remaining ?? Number.POSITIVE_INFINITY) - besides) / 3;
  const byTokens = ((tokens.remaining ?? Number.POSITIVE_INFINITY) / (1.5 * (size.words + size.maxTokens)) - 1) / 3;
  return Math.max(0, Math.min(mostEachWay, Math.floor(byRequests), Math.floor(byTokens)));
}

function read(tools: ProbeTools, key: string, phase: LimitPhases["tokens"]): Promise<LimitOp> {
  return tools.send(chatProbe(tools, key, phase, tiny));
}
