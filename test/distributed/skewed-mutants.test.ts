import { afterEach, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import { loadProfile } from "../../src/load/profile/read-profile.ts";
import { runLoadProfile } from "../../src/load/send/run-load-profile.ts";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { createControlClock } from "../../src/wire/clock/control-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { sampleOf, sampleTitle } from "../make/sample.ts";
import { judgeSkewed } from "./judge-skewed.ts";

const limit = 600;
/** Every registered mutant of request limits. */
const mutants = allSwitches.filter(({ kind, area }) => kind === "mutant" && area === "limits").map(({ id }) => id);
/** Those that this profile does not show to one machine: docs/measurements/limits-under-load.md says why. */
const unseen: ReadonlySet<string> = new Set(["limits/slow-refill"]);
let service: ReferenceService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

/** What the profile for edges of windows sees of the reference service, on its clock. */
async function record(
  switches: readonly string[],
): Promise<{ readonly exchanges: readonly Exchange[]; readonly manifest: Manifest }> {
  service = await startReferenceService({ clock: "real", mutants: switches });
  const { control } = service.manifest;
  if (control === null) throw new Error("the reference service lends no clock");
  const clock = createControlClock(control);
  const manifest = { ...service.manifest, limits: { ...service.manifest.limits, requestsPerMinute: limit } };
  const { profile } = loadProfile("window-edges");
  const wire = createWire({ manifest, clock });
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange): void => void exchanges.push(JSON.parse(JSON.stringify(exchange)) as Exchange);
  await runLoadProfile({ profile, manifest, sender: wire, clock, virtualTime: true, seed: 3, onExchange });
  await wire.close();
  return { exchanges, manifest };
}

function judge({ exchanges, manifest }: Awaited<ReturnType<typeof record>>, boundMs: number) {
  const { result, findings } = judgeSkewed(exchanges, createRandom(7), boundMs, manifest);
  return {
    verdicts: new Map(result.policies.map(({ id, verdict }) => [id, verdict])),
    accusations: findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check),
  };
}

describe(`traffic of four agents whose clocks are known within a bound (${sampleTitle})`, () => {
  it.each(
    sampleOf(
      [
        "limits/fixed-first",
        "limits/sliding-log",
        "limits/sliding-counter",
        "limits/token-bucket",
        "limits/burst-below-limit",
        "limits/rejections-count",
      ],
      11,
    ),
  )("accuses nobody of %s, which is lawful", async (variant) => {
    const recorded = await record([variant]);
    for (const boundMs of [2, 20, 250]) expect(judge(recorded, boundMs).accusations, `within ${boundMs} ms`).toEqual([]);
  });

  it.each(sampleOf(mutants, mutants.length))("finds %s, or says that it cannot decide", async (mutant) => {
    const recorded = await record([mutant]);
    const alone = [...judge(recorded, 0).verdicts].filter(([, verdict]) => verdict === "fail").map(([id]) => id);
    // What one machine does not see in this profile proves nothing, and is named.
    expect(alone.length > 0, "found by one machine").toBe(!unseen.has(mutant));
    for (const boundMs of [2, 20, 250]) {
      const { verdicts } = judge(recorded, boundMs);
      for (const id of alone) expect(["fail", "inconclusive"], `${id} within ${boundMs} ms`).toContain(verdicts.get(id));
    }
  });

  it("is recorded of mutants that one machine finds", () => {
    expect(mutants.length).toBeGreaterThan(50);
    expect([...unseen].filter((id) => !mutants.includes(id))).toEqual([]);
    expect(unseen.size).toBeLessThan(mutants.length / 3);
  });
});
