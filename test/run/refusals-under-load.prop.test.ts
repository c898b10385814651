import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { KeySettings, Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import { readOp } from "../../src/limits/history/history.ts";
import { createLimitMonitor } from "../../src/limits/traffic/limit-monitor.ts";
import { simulatedManifest } from "../limits/simulation/exam.ts";
import { faultyLimiters } from "../limits/simulation/faulty-limiters.ts";
import { loadRequests } from "../limits/simulation/load-requests.ts";
import { serveRequests } from "../limits/simulation/request-service.ts";
import { createSimulation, type Simulation } from "../limits/simulation/simulator.ts";
import { watchLawfulLimiters } from "../limits/simulation/watch-lawful-limiters.ts";

const limit = 60;
const windowMs = 60_000;
const numRuns = Number(process.env["REFUSAL_RUNS"] ?? 60);

/** The owner says which burst allowance the key has, null being none. */
function manifestOf(settings: KeySettings | null): Manifest {
  const keys: Manifest["restore"]["keys"] = settings === null ? {} : { load: settings };
  return { ...simulatedManifest(limit), control: null, restore: { keys, account: null } };
}

function accusations(exchanges: readonly Exchange[], settings: KeySettings | null): readonly string[] {
  const monitor = createLimitMonitor({ manifest: manifestOf(settings), strict: false });
  const ended = exchanges.toSorted((a, b) => a.timing.endMs - b.timing.endMs);
  for (const op of ended.map(readOp).filter((one) => one !== null)) monitor.add(op);
  return monitor
    .finish()
    .findings.filter(({ verdict }) => verdict === "fail")
    .map(({ check, message }) => `${check} ${message}`);
}

async function drive({ sender, clock }: Simulation, seed: number): Promise<void> {
  const random = createRandom(seed).fork("bursts");
  // One by one at an even pace is what no smoothing of bursts explains.
  const size = [1, 1, 2, 12, 20][random.integer(0, 4)]!;
  const gapMs = (size * windowMs * [0.7, 1, 2.5][random.integer(0, 2)]!) / limit;
  for (let sent = 0; sent < 400; sent += size) {
    await sender.burst(loadRequests(size));
    await clock.sleep(gapMs * (0.5 + random.next()));
    if (random.next() < 0.02) await clock.sleep(2.2 * windowMs);
  }
}

describe("refusals under load, of a key that has no burst allowance", () => {
  it("accuse no lawful limiter under any disturbance", async () => {
    const watched = watchLawfulLimiters({
      limit,
      windowMs,
      numRuns,
      drive: (simulation, _random, seed) => drive(simulation, seed),
      expectLawful(seen, title) {
        const reported = accusations(seen, { burst_limit: null });
        expect(reported.map((one) => `${title}: ${one}`)).toEqual([]);
      },
    });
    await expect(watched).resolves.toBeUndefined();
  });

  const failing = faultyLimiters.find(({ id }) => id === "fail-closed")!;
  const observe = async (endpoint: "models" | "chat"): Promise<readonly Exchange[]> => {
    const { sender, clock, exchanges } = createSimulation(3, serveRequests(failing.create(limit, windowMs)));
    for (let sent = 0; sent < 300; sent += 1) {
      await sender.burst(loadRequests(1).map((request) => ({ ...request, endpoint })));
      await clock.sleep(2500);
    }
    return exchanges;
  };

  it("are judged although they show requests remaining", async () => {
    expect(await observe("models").then((exchanges) => accusations(exchanges, { burst_limit: null }))).not.toEqual([]);
  });

  it.each([
    ["the key has an allowance that may have been used up", "models", { burst_limit: 30 }],
    ["nothing is said about an allowance", "models", null],
    ["the endpoint counts tokens, which may not suffice for the request", "chat", { burst_limit: null }],
  ] as const)("are laid to no limit where %s", async (_title, endpoint, settings) => {
    expect(accusations(await observe(endpoint), settings)).toEqual([]);
  });
});
