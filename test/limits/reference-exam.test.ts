import { afterEach, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange.ts";
import { createRandom } from "../../src/core/random.ts";
import { judgeLimits, type LimitsJudgement } from "../../src/limits/judge-limits.ts";
import { runLimits } from "../../src/limits/run-limits.ts";
import { startReferenceService, type ReferenceService } from "../../src/reference/start-reference-service.ts";
import { createControlClock } from "../../src/wire/control-clock.ts";
import { createWire } from "../../src/wire/wire.ts";

let service: ReferenceService | null = null;

afterEach(async () => {
  await service?.close();
  service = null;
});

/** The whole exam over sockets against the reference service, whose clock is moved by hand. */
async function examine(switches: {
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
}): Promise<LimitsJudgement> {
  service = await startReferenceService({ clock: "manual", ...switches });
  const { manifest } = service;
  const exchanges: Exchange[] = [];
  const clock = createControlClock(manifest.control!);
  const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
  const pending = new Set<string>();
  const run = await runLimits({
    manifest,
    sender: wire,
    clock,
    random: createRandom(1),
    exam: "short",
    onProgress: () => undefined,
    signal: AbortSignal.timeout(25_000),
    journal: { record: ({ subject }) => pending.add(subject), complete: (subject) => pending.delete(subject) },
  });
  await wire.close();
  expect(run.stopped).toBeNull();
  expect([...pending]).toEqual([]);
  return judgeLimits({ exchanges, manifest, strict: false });
}

const told = (judged: LimitsJudgement): readonly string[] => judged.findings.map((finding) => finding.check);

describe("the exam against the reference service", () => {
  it("finds nothing on the service itself and judges every policy", async () => {
    const judged = await examine({});
    expect(judged.findings).toEqual([]);
    expect(judged.result.policies.map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual([
      "requests pass",
      "tokens pass",
      "burst pass",
      "burst pass",
      "key-cap pass",
      "account-cap pass",
    ]);
    expect(judged.result.policies[0]?.tier).toBe("consistent");
    expect(judged.result.policies[0]?.identification?.survivors[0]?.family).toBe("fixed-window");
    const passed = new Set(judged.occurrences.filter(({ outcome }) => outcome === "pass").map(({ requirement }) => requirement));
    for (const row of [
      "RATE-018",
      "RATE-019",
      "RATE-025",
      "RATE-026",
      "RATE-032",
      "RATE-039",
      "BURST-003",
      "BURST-004",
      "BURST-009",
      "SPEND-001",
      "SPEND-008",
      "SPEND-010",
      "KEY-011",
      "ACC-004",
    ]) {
      expect(passed).toContain(row);
    }
  });

  it.each([
    "limits/token-bucket",
    "limits/sliding-log",
    "limits/burst-below-limit",
    "limits/rejections-count",
    "limits/remaining-rounded",
    "spend/after-crossing",
  ])("does not accuse %s", async (variant) => {
    const judged = await examine({ variants: [variant] });
    expect(judged.findings.filter((finding) => finding.verdict === "fail" || finding.check === "family")).toEqual([]);
  });

  it.each([
    ["limits/lost-updates", "r2.lost"],
    ["limits/under-admit-one", "claim"],
    ["limits/window-too-short", "r2.rise"],
    ["limits/shared-by-endpoints", "iso.endpoint"],
    ["limits/path-variant-bypass", "iso.bypass"],
    ["tokens/not-enforced", "tok.over"],
    ["burst/cooldown-half", "cool.admit"],
    ["burst/cooldown-double", "cool.long"],
    ["spend/key-cap-hits-account", "cap.isolation"],
    ["spend/no-cycle-reset", "cycle.no-reset"],
  ])("finds %s by %s", async (mutant, check) => {
    expect(told(await examine({ mutants: [mutant] }))).toContain(check);
  });
});
