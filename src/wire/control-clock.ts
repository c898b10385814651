import { performance } from "node:perf_hooks";
import { Client } from "undici";
import type { Clock } from "../core/clock.ts";
import type { Manifest } from "../core/manifest.ts";

/** A clock that moves that of the target; `close` ends its connection. */
export interface ControlClock extends Clock {
  close(): Promise<void>;
}

interface Sleeper {
  readonly dueMs: number;
  wake(error: unknown): void;
}

/**
 * Clock of a run against a service whose virtual clock the manifest gives: sleeping advances that clock over its control plane
 * and shifts ours by the same amount, so that windows, cooldowns and months pass in milliseconds. Sleepers share the time:
 * two that wait for a minute side by side cost one minute. Rejects when the control plane does not answer.
 */
export async function openControlClock(control: NonNullable<Manifest["control"]>): Promise<ControlClock> {
  const client = new Client(control.url);
  const headers = { authorization: `Bearer ${control.token}`, "content-type": "application/json" };
  const ask = async (method: "GET" | "POST", body?: object): Promise<number> => {
    const response = await client.request({ path: "/clock", method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`the control plane answers ${response.statusCode}`);
    return (JSON.parse(text) as { wallMs: number }).wallMs;
  };
  const startMs = performance.now();
  let leapMs = 0;
  const initialMs = (await ask("GET")) - Date.now();
  const nowMs = (): number => performance.now() - startMs + leapMs;
  const sleepers: Sleeper[] = [];
  let pumping = false;

  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    for (;;) {
      // Sleepers that are called in the same turn must all be known before time moves.
      await new Promise((resolve) => setImmediate(resolve));
      const next = sleepers.toSorted((one, other) => one.dueMs - other.dueMs)[0];
      if (next === undefined) break;
      const aheadMs = next.dueMs - nowMs();
      try {
        if (aheadMs > 0) {
          await ask("POST", { advanceMs: aheadMs });
          leapMs += aheadMs;
        }
        remove(next);
        next.wake(null);
      } catch (error) {
        remove(next);
        next.wake(error);
      }
    }
    pumping = false;
  };
  const remove = (sleeper: Sleeper): void => {
    const index = sleepers.indexOf(sleeper);
    if (index >= 0) sleepers.splice(index, 1);
  };

  return {
    nowMs,
    wallMs: () => Date.now() + initialMs + leapMs,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = (): void => {
          remove(sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper: Sleeper = {
          dueMs: nowMs() + Math.max(0, ms),
          wake: (error) => {
            signal?.removeEventListener("abort", onAbort);
            if (error === null) resolve();
            else reject(error as Error);
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.push(sleeper);
        void pump();
      }),
    close: () => client.close(),
  };
}
