import type { Exchange } from "../../src/core/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import { judgeLimits, type LimitsJudgement } from "../../src/limits/judge-limits.ts";
import { runLimits } from "../../src/limits/run-limits.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import type { Switch, SwitchArea } from "../../src/reference/switch.ts";
import { createControlClock } from "../../src/wire/control-clock.ts";
import { createWire } from "../../src/wire/wire.ts";

/** Areas whose defects the limits stage is to find. */
export type LimitArea = Extract<SwitchArea, "limits" | "burst" | "spend" | "tokens">;

export const limitAreas: readonly LimitArea[] = ["limits", "burst", "spend", "tokens"];

/** Keys that the exam of an area uses; without those of the others no other exam is planned. */
const keysOfArea: Readonly<Record<LimitArea, readonly string[]>> = {
  limits: ["primary", "secondary", "starter", "examRequests", "examRequestsTwin", "admin"],
  burst: ["secondary", "examRequestsTwin", "examBurst", "examSettings", "examBurstQueue", "queue", "admin"],
  spend: ["spendA", "spendB", "spendAdmin", "examSpend", "admin"],
  tokens: ["examTokens", "lowToken"],
};

/** The short exam of one area against the reference service with one switch on: sockets are real, the clock is moved by hand. */
export async function examineSwitch(area: LimitArea, one: Switch | null): Promise<LimitsJudgement> {
  const service = await startReferenceService({
    clock: "manual",
    variants: one?.kind === "variant" ? [one.id] : [],
    mutants: one?.kind === "mutant" ? [one.id] : [],
  });
  const manifest = manifestOf(area, service.manifest);
  const exchanges: Exchange[] = [];
  const clock = createControlClock(manifest.control!);
  const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
  try {
    const { stopped } = await runLimits({
      manifest,
      sender: wire,
      clock,
      random: createRandom(1),
      exam: "short",
      onProgress: () => undefined,
      signal: AbortSignal.timeout(60_000),
      journal: { record: () => undefined, complete: () => undefined },
    });
    if (stopped !== null) throw new Error(`the exam of ${one?.id ?? area} ended early: ${stopped}`);
    return judgeLimits({ exchanges, manifest, strict: false });
  } finally {
    await wire.close();
    await service.close();
  }
}

function manifestOf(area: LimitArea, manifest: Manifest): Manifest {
  const patchSettings = area === "burst" || area === "spend";
  const keys = Object.fromEntries(Object.entries(manifest.keys).filter(([name]) => keysOfArea[area].includes(name)));
  return { ...manifest, keys, permissions: { ...manifest.permissions, patchSettings } };
}
