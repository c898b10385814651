import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { createRandom } from "../../../src/core/random.ts";
import { loadProfile } from "../../../src/load/plan/read-profile.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { listLimitChecks, readLimitFigures } from "../../../src/limits/traffic/traffic-judgement.ts";
import { withholdPasses } from "../../../src/limits/traffic/withhold-passes.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { ControlClock } from "../../../src/wire/clock/control-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { keep } from "../../make/keep.ts";
import { onLowestPlan } from "../../make/on-lowest-plan.ts";
import { isWhole, sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { judgeSkewed } from "./judge-skewed.ts";

/** Every registered mutant of request limits. */
const mutants = allSwitches.filter(({ kind, area }) => kind === "mutant" && area === "limits").map(({ id }) => id);
/** Those that this profile does not show to one machine, and those of which chance decides (races, one request in twenty). */
const mayBeMissed: ReadonlySet<string> = new Set([
  "limits/bucket-read-modify-write",
  "limits/check-then-increment",
  "limits/count-before-cleanup",
  "limits/daily-window-key",
  "limits/embeddings-exempt",
  "limits/fail-closed",
  "limits/fail-open",
  "limits/ignores-previous-window",
  "limits/log-check-then-add",
  "limits/lost-increments",
  "limits/negative-cache",
  "limits/path-variant-bypass",
  "limits/quota-error-shape",
  "limits/retry-after-floor",
  "limits/retry-after-short",
  "limits/retry-after-window",
  "limits/shared-by-endpoints",
  "limits/shared-by-keys",
  "limits/slow-refill",
  "limits/status-503",
  "limits/streams-exempt",
  "limits/ttl-refreshed",
  "limits/under-admit-one",
  "limits/uploads-exempt",
]);

const sure = mutants.filter((id) => !mayBeMissed.has(id));

/** Records the traffic of the profile for edges of windows with the reference service, on its clock. */
async function record(
  switches: readonly string[],
): Promise<{ readonly exchanges: readonly Exchange[]; readonly manifest: Manifest }> {
  const service = keep(await startReferenceService({ clock: "real", mutants: switches }));
  const { control } = service.manifest;
  if (control === null) throw new Error("the reference service lends no clock");
  const clock = new ControlClock(control);
  const manifest = onLowestPlan(service.manifest);
  const { profile } = loadProfile("window-edges");
  const wire = createWire({ manifest, clock });
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange): void => void exchanges.push(JSON.parse(JSON.stringify(exchange)) as Exchange);
  await runLoadProfile({ profile, manifest, sender: wire, clock, virtualTime: true, seed: 3, onExchange });
  await wire.close();
  return { exchanges, manifest };
}

function judge({ exchanges, manifest }: Awaited<ReturnType<typeof record>>, boundMs: number) {
  const judgement = judgeSkewed(exchanges, createRandom(7), boundMs, manifest);
  const { result, findings } = judgement;
  const said = { figures: readLimitFigures(judgement), checks: listLimitChecks(result) };
  const { figures, checks } = withholdPasses(said, boundMs);
  const verdictOf = (id: string): Verdict | undefined => {
    const own = new Set(checks.filter(({ policy }) => policy === id).map(({ verdict }) => verdict));
    return (["fail", "advisory", "pass", "inconclusive"] as const).find((verdict) => own.has(verdict));
  };
  return {
    figures,
    verdicts: new Map(result.policies.map(({ id }) => [id, verdictOf(id)])),
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

  it.each(sampleOf(isWhole ? mutants : sure, sure.length))("finds %s, or says that it cannot decide", async (mutant) => {
    const recorded = await record([mutant]);
    const alone = [...judge(recorded, 0).verdicts].filter(([, verdict]) => verdict === "fail").map(([id]) => id);
    // A mutant that one machine does not see proves nothing, and is named.
    if (!mayBeMissed.has(mutant)) expect(alone).not.toEqual([]);
    for (const boundMs of [2, 20, 250]) {
      const { verdicts, figures } = judge(recorded, boundMs);
      for (const id of alone) expect(["fail", "inconclusive"], `${id} within ${boundMs} ms`).toContain(verdicts.get(id));
      if (alone.length > 0) expect(figures.violations, `violations within ${boundMs} ms`).not.toBe(0);
    }
  });

  it("is recorded of mutants that one machine finds", () => {
    expect(mutants.length).toBeGreaterThan(50);
    expect([...mayBeMissed].filter((id) => !mutants.includes(id))).toEqual([]);
    expect(mayBeMissed.size).toBeLessThan(mutants.length / 2);
  });
});
