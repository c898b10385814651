import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.ts";

interface ClockChange {
  readonly advanceMs?: number;
  readonly setMs?: number;
}

/** GET /clock; POST /clock with `{ "advanceMs": 60000 }` or `{ "setMs": <Unix milliseconds> }`, forward only. */
export function clockRoutes(app: FastifyInstance, { clock }: Engine): void {
  const state = (): object => ({ mode: clock.mode, wallMs: clock.wallMs() });
  app.get("/clock", state);
  app.post<{ Body: ClockChange | null }>("/clock", async ({ body }) => {
    const { advanceMs, setMs } = body ?? {};
    if ((advanceMs === undefined) === (setMs === undefined)) throw new Error("Give either advanceMs or setMs.");
    const ms = advanceMs ?? (setMs ?? 0) - clock.wallMs();
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0)
      throw new Error("The clock only goes forward, by a finite number of milliseconds.");
    await clock.advance(ms);
    return state();
  });
}
