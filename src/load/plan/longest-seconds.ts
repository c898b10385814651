import { bodyBounds } from "../../core/body-bounds.ts";
import type { Manifest } from "../../core/manifest.ts";
import { limitScenarios } from "../profile/limit-scenarios.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { sendingSeconds } from "./sending-seconds.ts";

type Bounds = Pick<Manifest, "target" | "propagationSeconds">;

/** Waits beyond the time-out of the last request: repeats begin that late, and what is cut off has to come back. */
const drainSeconds = 5;
/** Requests beside the schedule, one after the other: the limit is learnt, connections are opened, usage is read three times. */
const besideRequests = 5;
/** The seconds that a second tool sends of a closed loop. */
const crossCheckSeconds = 15;
/** Purchases and changes of a cap before a profile that crosses it, with a wait for other limits before each. */
const spendRequests = 2 * 16 * 4;
const spendWaitSeconds = 66;

/**
 * Seconds of real time that a profile takes at most, whatever its target does. A run prints this before it begins and ends the load
 * when it is over.
 */
export function longestSeconds(profile: LoadProfile, { target, propagationSeconds }: Bounds): number {
  const answerSeconds = (target.timeoutMs + bodyBounds(target).bodyTotalMs) / 1000;
  const crosses = profile.limitScenario !== null && limitScenarios[profile.limitScenario].crossesCap;
  const spend = crosses ? spendRequests * (answerSeconds + spendWaitSeconds + propagationSeconds) : 0;
  const second = profile.engine === "autocannon" ? crossCheckSeconds : 0;
  const sending = sendingSeconds(profile) + profile.timeoutSeconds + drainSeconds;
  return Math.ceil(sending + besideRequests * answerSeconds + second + spend);
}
