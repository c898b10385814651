import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import type { SettingsChanges } from "../probe/settings.ts";
import { type BurstExamSubject, burstSettingsOfExam, probeOf } from "./burst-requests.ts";
import { explainWaits } from "./explain-waits.ts";
import { heldMs } from "./held-ms.ts";
import { isOfCooldown } from "./is-of-cooldown.ts";
import { finish, sendLoosely, settleLoosely } from "./loose-requests.ts";

/**
 * Requests of a window that come before each change: more than lags and refills explain, and with the readings more than two minutes of
 * the clock let through at the allowance before.
 */
const usedCount = 10;
/** With the readings. */
const usedInAll = 2 * usedCount + 2;

/** Asked so often at most, where stalls fall into it. */
const mostAsked = 3;

/** An allowance that leaves room for all of these requests and for those of the minute before. */
const raisedAtLeast = 4 * usedCount;

/**
 * A raised allowance, and within it a change of settings twice, each right after requests of one window and followed by one more: the
 * second is that back to the value before. Asked once more after a silent cooldown and minute where not all was served: a change may take
 * effect with the next minute, and a cooldown that runs may go on; a third time where a stall fell into the second. Returns until when a last cooldown may run; null: none was begun.
 */
export async function changeWithinWindow(
  tools: ProbeTools,
  subject: BurstExamSubject,
  change: SettingsChanges["change"],
): Promise<number | null> {
  const { burst_limit: before, cooldown_seconds } = burstSettingsOfExam;
  const own = tools.manifest.restore.keys[subject.key]?.["burst_limit"] ?? 0;
  // The key's own allowance is certainly one that it may have; a larger one may be beyond its plan.
  const raised = own > usedInAll ? own : raisedAtLeast;
  const leave = (text: string): null => {
    tools.notJudged({ policy: "raised limit and changes within a window, burst", text });
    return null;
  };
  const { status, stated } = readChange(await change({ burst_limit: raised }));
  if (status < 200 || status > 299) return leave(`a change of burst_limit from ${before} to ${raised} was not confirmed`);
  if (stated !== null && stated !== raised) return leave(`a change of burst_limit to ${raised} was answered with ${stated}`);
  const cooldownMs = cooldown_seconds * 1000;
  await tools.sleep(500, "settings take effect");
  const otherLimit = `something else than the burst limit refuses before ${usedInAll} requests are served`;
  for (let asked = 1; ; asked += 1) {
    const end = await useTwice(tools, subject, change);
    if (end === "another limit") return leave(otherLimit);
    if (end === "served") return null;
    // A stall shows nothing of what a change does: it takes the place of no answer to the question whether it took effect by now.
    if (asked >= (end === "stalled" ? mostAsked : 2)) return tools.clock.nowMs() + 1.1 * cooldownMs + 1500;
    await tools.sleep(
      Math.max(1.1 * cooldownMs, 1.1 * tools.windowMs) + tools.manifest.propagationSeconds * 1000 + 1500,
      "the cooldown and the minute after a raised burst limit",
    );
  }
}

function readChange(exchange: Exchange): { readonly status: number; readonly stated: number | null } {
  const { status, responseObject } = factsOf(exchange);
  const stated = responseObject?.["burst_limit"];
  return { status: status ?? 0, stated: typeof stated === "number" ? stated : null };
}

type End = "served" | "refused" | "stalled" | "another limit";

/**
 * `refused`: one of them was, or was held; what is held is waited for. `stalled`: it waited as long as the whole service or the instrument
 * stood still.
 */
async function useTwice(tools: ProbeTools, subject: BurstExamSubject, change: SettingsChanges["change"]): Promise<End> {
  const { burst_limit: before, cooldown_seconds } = burstSettingsOfExam;
  const startMs = tools.clock.nowMs();
  const useOnce = async (phase: "window-used" | "window-read"): Promise<End> => {
    const op = await sendAndWait(tools, probeOf(tools, subject, phase));
    if (op.outcome === "admitted") {
      if (heldMs(op) <= (cooldown_seconds * 1000) / 4) return "served";
      return explainWaits(tools.sent)(op) ? "stalled" : "refused";
    }
    return isOfCooldown(op, cooldown_seconds * 1000) === false ? "another limit" : "refused";
  };
  let sent = 0;
  for (const seconds of [cooldown_seconds + 1, cooldown_seconds]) {
    for (const phase of [...Array.from({ length: usedCount }, () => "window-used" as const), "window-read" as const]) {
      if (phase === "window-read") await change({ cooldown_seconds: seconds });
      const end = await useOnce(phase);
      if (end !== "served") return end;
      sent += 1;
    }
  }
  // A slow target takes some minutes for them, each of which lets the old allowance through again.
  const minutes = (): number => Math.ceil((tools.clock.nowMs() - startMs) / tools.windowMs) + 1;
  for (; sent <= before * minutes() && sent < 2 * raisedAtLeast; sent += 1) {
    const end = await useOnce("window-used");
    if (end !== "served") return end;
  }
  return "served";
}

/** On a virtual clock somebody has to pass the time for which a request is held. */
async function sendAndWait(tools: ProbeTools, probe: ExamRequest): Promise<LimitOp> {
  if (tools.manifest.control === null) return tools.send(probe);
  const sent = sendLoosely(tools, probe, 1);
  await settleLoosely(tools, [sent]);
  if (!sent.isAnswered()) await finish(tools, [sent], burstSettingsOfExam.cooldown_seconds * 1000);
  return (await sent.answer)[0]!;
}
