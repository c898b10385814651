import type { Clock } from "../../core/clock.ts";

/** A timer of this length that is not late shows an instrument that has time. */
const lookMs = 20;
/** So late a timer is that of a busy machine. */
const lateMs = 25;
const calmLooks = 5;
/** A machine that stays busy is not waited for. */
const longestMs = 5000;

/** Waits, a few seconds at most, until timers of this process come in time. Rejects when aborted. */
export async function awaitCalm({ nowMs, sleep }: Pick<Clock, "nowMs" | "sleep">, signal: AbortSignal): Promise<void> {
  const startMs = nowMs();
  for (let inTime = 0; inTime < calmLooks && nowMs() - startMs < longestMs;) {
    const fromMs = nowMs();
    await sleep(lookMs, signal);
    inTime = nowMs() - fromMs - lookMs < lateMs ? inTime + 1 : 0;
  }
}
