import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { ProbeAsk, ProbeResult } from "../../../src/core/result/probe-result.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { probeRequest } from "../../../src/load/plan/probe-request.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import type { Switch, Variant } from "../../../src/reference/switches/switch.ts";
import { watchProbe } from "../../../src/run/traffic/watch-probe.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { createHandClock } from "../../limits/sockets/hand-clock.ts";
import { packVariants } from "../../make/pack-variants.ts";
import { workingDayMs } from "../../make/working-day.ts";

type Drive = Readonly<{ key: string; everySeconds: number; times: number; ask: readonly ProbeAsk[] }>;

/** Half a minute of all kinds of requests. */
const ofTokens: Drive = { key: "secondary", everySeconds: 2, times: 16, ask: ["models", "chat", "chat-stream", "error"] };
/** Four requests a minute of an allowance of five. */
const ofBurst: Drive = { key: "reject", everySeconds: 20, times: 7, ask: ["models", "chat"] };

/** Twenty requests of the load that are under way when the probe asks, again and again, by a clock that is moved by hand. */
async function judge(
  ids: readonly string[],
  { key, everySeconds, times, ask }: Drive,
): Promise<{ readonly probe: ProbeResult; readonly findings: readonly Finding[] }> {
  const kindOf = (kind: Switch["kind"]): readonly string[] =>
    ids.filter((id) => allSwitches.some((one) => one.id === id && one.kind === kind));
  const service = await startReferenceService({
    clock: { kind: "manual", startMs: workingDayMs + 25_000 },
    latency: "realistic",
    variants: kindOf("variant"),
    mutants: kindOf("mutant"),
  });
  const manifest = { ...service.manifest, control: null, exclusive: true };
  const clock = createHandClock(service.engine.clock);
  const wire = createWire({ manifest, clock });
  const sender = clock.watch(wire);
  const watch = watchProbe({ id: "p", probe: { key, everySeconds, ask } }, manifest, false)!;
  try {
    const load = (number: number): SendRequest => ({
      ...probeRequest("chat", { manifest, profile: "p", key: "primary" }),
      body: {
        kind: "json",
        value: {
          model: manifest.models.chat,
          max_tokens: 60,
          messages: [{ role: "user", content: `${number} say something long` }],
        },
      },
    });
    for (let time = 0; time < times; time += 1) {
      const startMs = clock.nowMs();
      watch.onLoad(startMs);
      const beside = sender.burst(Array.from({ length: 20 }, (_, place) => load(20 * time + place)));
      // Time passes when all of them are held.
      await clock.sleep(5);
      watch.onExchange(await sender.send(probeRequest(ask[time % ask.length]!, { manifest, profile: "p", key })));
      await beside;
      await clock.sleep(Math.max(0, startMs + 1000 * everySeconds - clock.nowMs()));
    }
    return watch.finish();
  } finally {
    await wire.close();
    await service.close();
  }
}

const areas: ReadonlySet<string> = new Set(["limits", "burst", "tokens"]);
const lawful = packVariants(allSwitches.filter((one): one is Variant => one.kind === "variant" && areas.has(one.area)));
const checksOf = ({ limitChecks }: ProbeResult, id: string): readonly string[] =>
  limitChecks.filter((check) => check.id === id).map(({ verdict }) => verdict);

describe("limits of a second key beside a load", () => {
  it("pass on the reference service", async () => {
    const tokens = await judge([], ofTokens);
    expect(tokens.findings).toEqual([]);
    expect(checksOf(tokens.probe, "tokens.phantom-consumption")).toEqual(["pass"]);
    // The manifest names no allowance of that key.
    expect(checksOf(tokens.probe, "burst.under-admission")).toEqual([]);
    const burst = await judge([], ofBurst);
    expect(burst.findings).toEqual([]);
    expect(checksOf(burst.probe, "burst.under-admission")).toEqual(["pass"]);
  });

  it("find tokens that are counted together with those of the load", async () => {
    const { probe, findings } = await judge(["tokens/shared-under-load"], ofTokens);
    const finding = findings.find(({ check }) => check === "tokens.phantom-consumption");
    expect(finding).toMatchObject({ verdict: "fail", requirement: "RATE-031" });
    expect(finding!.message).toContain("probe with key secondary");
    expect(finding!.exchanges.length).toBeGreaterThan(1);
    expect(probe.verdict).toBe("fail");
    expect(probe.violated).toContain("RATE-031");
  });

  it("find an allowance that the load of another key uses up", async () => {
    const { probe, findings } = await judge(["burst/shared-under-load"], ofBurst);
    const finding = findings.find(({ check }) => check === "burst.under-admission");
    expect(finding).toMatchObject({ verdict: "fail", requirement: "BURST-001" });
    expect(finding!.message).toContain("at most 3 other requests");
    expect(probe).toMatchObject({ verdict: "fail" });
  });

  it.each(lawful.map((service) => [service.map(({ id }) => id)]))("accuse no lawful service: %j", async (ids) => {
    const found = [await judge(ids, ofTokens), await judge(ids, ofBurst)];
    expect(found.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === "fail"))).toEqual([]);
  });
});
