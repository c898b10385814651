import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.ts";

interface ClockChange {
  readonly advanceMs?: number;
  readonly setMs?: number;
  /** Stop so many milliseconds past the first timer that fires. */
  readonly settleMs?: number;
}

/**
 * GET /clock; POST /clock with `{ "advanceMs": 60000 }` or `{ "setMs": <Unix milliseconds> }`, forward only. With `settleMs` the
 * clock may stop early, behind the first timer that fires.
 */
export function clockRoutes(app: FastifyInstance, { clock }: Engine): void {
  const state = (): object => ({ mode: clock.mode, wallMs: clock.wallMs(), nextTimerMs: clock.nextTimerMs() });
  app.get("/clock", state);
  app.post<{ Body: ClockChange | null }>("/clock", async ({ body }) => {
    const { advanceMs, setMs, settleMs } = body ?? {};
    if ((advanceMs === undefined) === (setMs === undefined)) throw new Error("Give either advanceMs or setMs.");
    const ms = advanceMs ?? (setMs ?? 0) - clock.wallMs();
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0)
      throw new Error("The clock only goes forward, by a finite number of milliseconds.");
    if (settleMs !== undefined && !(typeof settleMs === "number" && settleMs >= 0)) throw new Error("settleMs is 0 or more.");
    await (settleMs === undefined ? clock.advance(ms) : clock.advanceToTimer(ms, settleMs));
    return state();
  });
}
