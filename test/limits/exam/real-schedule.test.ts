import { describe, expect, it } from "vitest";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";
import { disturbances } from "../simulation/disturbances.ts";
import { accusationsIn, examine, simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import type { SimService } from "../simulation/simulator.ts";

/** The default exam as it is held in real time, on a clock that is moved by hand. */
const families = [[], ["limits/fixed-first"], ["limits/sliding-log"], ["limits/sliding-counter"]] as const;

describe("the schedule of real time", () => {
  it.each(
    families.flatMap((variants) => ["limits/over-admit-one", "limits/under-admit-one"].map((id) => [id, variants] as const)),
  )("decides %s of %j within three windows", async (id, variants) => {
    const { findings, result } = await examineSwitch("limits", findSwitch(id), { time: "blind", variants });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).not.toEqual([]);
    expect(result.spent.minutes).toBeLessThan(3);
  });

  it.each([
    ["limits/log-check-then-add", "limits.over-admission"],
    ["limits/check-then-increment", "limits.lost-updates"],
  ])("shows the race of %s as %s", async (id, check) => {
    const { findings } = await examineSwitch("limits", findSwitch(id), { time: "blind" });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });

  it.each(["fixed-aligned", "sliding-log", "bucket-full", "gcra", "sliding-counter"])(
    "judges %s in which one request fails",
    async (id) => {
      const inner = serveRequests(lawfulLimiters.find((one) => one.id === id)!.create(40, 60_000));
      let requests = 0;
      const service: SimService = (context) => {
        if (context.request.path === "/v1/models" && context.request.credential.kind === "bearer") requests += 1;
        if (requests !== 60) return inner(context);
        requests += 1;
        return context.reply({ status: 500, headers: {}, body: { error: { code: "internal" } } });
      };
      const manifest = { ...simulatedManifest(40), control: null };
      const judged = await examine({ seed: 71, service, manifest });
      expect(accusationsIn(judged)).toEqual([]);
      expect(judged.result.policies.map(({ verdict }) => verdict)).toEqual(["pass"]);
    },
  );

  it.each(["fixed-aligned", "sliding-log"])("sees that %s renews the allowance at the stated reset", async (id) => {
    const service = serveRequests(lawfulLimiters.find((one) => one.id === id)!.create(40, 60_000));
    const judged = await examine({ seed: 72, service, manifest: { ...simulatedManifest(40), control: null } });
    const checks = judged.result.policies.flatMap((policy) => policy.checks);
    expect(checks.filter((check) => check.id === "limits.reset-not-kept").map(({ verdict }) => verdict)).toEqual(["pass"]);
  });

  it("accuses no lawful limiter", async () => {
    const manifest = { ...simulatedManifest(20), control: null };
    for (const [index, limiter] of lawfulLimiters.entries()) {
      const { id, style, network, skip } = disturbances[index % disturbances.length]!;
      if (skip?.includes(limiter.id)) continue;
      const judged = await examine({
        seed: 8200 + index,
        service: serveRequests(limiter.create(20, 60_000), style),
        network,
        manifest,
      });
      expect(accusationsIn(judged).map((reported) => `${limiter.id} under ${id}: ${reported}`)).toEqual([]);
    }
  });
});
