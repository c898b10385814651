import { lawfulAdmissionRules, type AdmissionRules } from "../../engine/admission/admission-rules.ts";
import type { ServiceClock } from "../../clock/service-clock.ts";
import type { Counter } from "../../engine/limiter/limiter-family.ts";
import type { Switchboard } from "../switch.ts";

/** Store latencies that pass between two steps that are far apart. */
const storeTurns = 4;

/** Time from reading the count of tokens to writing it back, ms. */
const writeBackMs = 8;

export function patchAdmissionRules(
  switches: Switchboard,
  storeDelay: () => Promise<void>,
  meet: () => Promise<void>,
): AdmissionRules {
  const lawful = lawfulAdmissionRules;
  let metCooldown = 0;

  const severalTurns = async (): Promise<void> => {
    for (let turn = 0; turn < storeTurns; turn += 1) await storeDelay();
  };

  /** Adds to what it read and writes that back: what others wrote in between is lost. No request waits for it, so it lasts on the clock. */
  const writeBack = async (write: () => void, tokens: () => Counter, clock: ServiceClock): Promise<void> => {
    const read = tokens().save();
    await clock.sleepUntil(clock.wallMs() + writeBackMs);
    tokens().load(read);
    write();
  };

  return {
    skipsGate: (work) => work.streaming && switches.on("burst/streams-exempt"),
    queues: (key) => {
      if (switches.on("burst/mixed-preference")) return (metCooldown += 1) % 2 === 0;
      return lawful.queues(key) || switches.on("burst/queue");
    },
    afterGate: () => (switches.on("burst/check-then-increment") ? meet() : lawful.afterGate()),
    betweenCheckAndTake: (work) => {
      if (racingLimits.some((id) => switches.on(id))) return { over: storeDelay(), stale: "rate" };
      if (work.maxCostMicros > 0 && switches.on("spend/check-then-charge")) return { over: severalTurns(), stale: "caps" };
      return lawful.betweenCheckAndTake(work);
    },
    keepsCount: (ended) => (ended === "aborted" && switches.on("tokens/left-uncounted") ? false : lawful.keepsCount(ended)),
    settleTokens: (write, tokens, clock) => {
      if (switches.on("tokens/lost-updates")) void writeBack(write, tokens, clock);
      else lawful.settleTokens(write, tokens, clock);
    },
  };
}

/** Switches that write the counter of requests some time after reading it. */
export const racingLimits: readonly string[] = [
  "limits/lost-updates",
  "limits/check-then-increment",
  "limits/bucket-read-modify-write",
  "limits/log-check-then-add",
];
