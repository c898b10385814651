import type { Clock } from "../../core/clock.ts";
import { shapeOf } from "../../load/arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { ControlClock } from "../../wire/clock/control-clock.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import type { OpenTarget } from "../open-target.ts";

/** How time passes on a target for the profiles of a run. */
export interface LoadClocks {
  /** Its sleeps take their time. */
  readonly real: Clock;
  /** Its sleeps move the clock of the service; null where the target lends none. */
  readonly virtual: Clock | null;
}

/** Both show the same time, so that a profile in real time can follow one that moved the clock of the service. */
export function openClocks(target: OpenTarget): LoadClocks {
  const { control } = target.manifest;
  if (control === null) return { real: target.clock, virtual: null };
  const virtual = new ControlClock(control, target.clock.nowMs());
  const local = createRealClock();
  const real: Clock = {
    nowMs: () => virtual.nowMs(),
    wallMs: () => virtual.wallMs(),
    sleep: (ms, signal) => local.sleep(ms, signal),
  };
  return { real, virtual };
}

/** Windows and cooldowns are waited for on the clock of the service, where it lends it and one loop sends; latencies are real time. */
export function chooseClock(
  { arrivals, limitScenario }: LoadProfile,
  clocks: LoadClocks,
  loops: "one" | "several",
): { readonly clock: Clock; readonly virtualTime: boolean } {
  const shape = shapeOf(arrivals);
  const isWaiting = limitScenario !== null && shape.name === "open" && shape.hasSilences === true;
  const virtual = isWaiting && loops === "one" ? clocks.virtual : null;
  return { clock: virtual ?? clocks.real, virtualTime: virtual !== null };
}
