import type { RoundSuffix } from "../../core/exchange/round-phase.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { type BurstExamSubject, burstSettingsOfExam, probeOf, wayInOf, withinRound } from "./burst-requests.ts";
import { finish, type LooseRequest, passTime, sendLoosely, settleLoosely } from "./loose-requests.ts";

/** Whether the last visit found the cooldown over. */
export type Resumed = "not" | "after refusals" | "from a queue";

/** How long nothing else is sent after a request that is held although the allowance is not used up, ms: more than the judge grants the network. */
const heldBelowMs = 3300;

/** The allowance used up request by request over all endpoints; then nothing is sent until the cooldown must be over. */
export async function sequentialRound(tools: ProbeTools, subject: BurstExamSubject, suffix: RoundSuffix): Promise<Resumed> {
  const startMs = tools.clock.nowMs();
  const loose: LooseRequest[] = [];
  const { burst_limit: burst } = burstSettingsOfExam;
  // One more than the allowance; where that is served, more than two minutes of the clock could grant.
  for (let count = 0; count < 2 * burst + 3; count += 1) {
    const probe = probeOf(tools, subject, `sequential${suffix}`);
    const sent = sendLoosely(tools, wayInOf(tools, subject, probe, count), 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    // Held below the allowance: what comes so much later did not come before it.
    if (count < burst && !sent.isAnswered()) await passTime(tools, heldBelowMs, loose);
    // A pause that no refill hides in: a cooldown that is counted from the first request ends that much too early.
    if (count === 0) await tools.sleep(4500, "a pause within the allowance");
    if (count >= burst && (!sent.isAnswered() || (await sent.answer)[0]?.outcome !== "admitted")) break;
  }
  const cooldownMs = burstSettingsOfExam.cooldown_seconds * 1000;
  const afterMs = tools.clock.nowMs() + 1.1 * cooldownMs + 1500;
  const isQueue = loose.some((one) => !one.isAnswered());
  const [hinted, after] =
    subject.rounds === "both" ? (["resume-hinted", "resume"] as const) : (["quiet-hinted", "quiet-after"] as const);
  const visit = async (name: typeof hinted | typeof after, atMs: number): Promise<boolean> => {
    await passTime(tools, atMs - tools.clock.nowMs(), loose);
    const sent = sendLoosely(tools, withinRound(tools, probeOf(tools, subject, `${name}${suffix}`), startMs), 1);
    loose.push(sent);
    await settleLoosely(tools, [sent]);
    return sent.isAnswered() && (await sent.answer)[0]?.outcome === "admitted";
  };
  const hintedMs = await hintedReturn(loose.at(-1));
  let isServed = hintedMs !== null && hintedMs < afterMs - 2000 && (await visit(hinted, hintedMs));
  if (!isServed || subject.rounds !== "both") isServed = await visit(after, afterMs);
  await finish(tools, loose, cooldownMs);
  if (!isServed) return "not";
  return isQueue ? "from a queue" : "after refusals";
}

/** As much as clocks may run apart in the meantime, and a little more than the judge grants. */
const clockDrift = 0.001;

/** When the refusal of the last request says to return, with the allowance for clocks of several instances; null: it says nothing. */
async function hintedReturn(last: LooseRequest | undefined): Promise<number | null> {
  if (last === undefined || !last.isAnswered()) return null;
  const refused = (await last.answer)[0];
  const seconds = refused?.retry?.seconds ?? null;
  return refused === undefined || seconds === null ? null : refused.headersMs + seconds * 1000 * (1 + clockDrift) + afterWaitMs;
}
