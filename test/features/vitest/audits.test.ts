import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AuditFailure, audits, ConfigError, type RunRequest, startReferenceService } from "../../../src/index.ts";
import { keep } from "../../make/keep.ts";
import { workingDayMs } from "../../make/working-day.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-audits-"));
// One of its defects crashes.
const service = await startReferenceService({ onCrash: () => {} });
const { manifest } = service;
afterAll(() => service.close());

type Settled = { readonly id: string; readonly outcome: "passed" | "skipped" | "failed"; readonly text: string };

async function settleAll(request: RunRequest): Promise<readonly Settled[]> {
  return Promise.all(
    audits({ outDir, ...request }).map(async ({ id, run }): Promise<Settled> => {
      try {
        const settled = await run();
        return { id, outcome: settled.outcome, text: settled.outcome === "skipped" ? settled.reason : "" };
      } catch (error) {
        if (error instanceof AuditFailure) return { id, outcome: "failed", text: error.message };
        throw error;
      }
    }),
  );
}

const failed = (settled: readonly Settled[]): readonly string[] =>
  settled.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);

describe("audits", () => {
  it("names requirements, limit policies, gates and completeness, each once, and sends nothing", () => {
    const list = audits({ baseUrl: "http://127.0.0.1:9", key: "sk_test_0123456789" });
    const ids = list.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(["conformance.chat/CHAT-001", "limits/burst", "load.smoke/error_rate < 5%", "complete"]),
    );
    expect(ids.filter((id) => id === "complete")).toHaveLength(1);
    expect(audits({ stages: ["load"] }).every(({ suite }) => suite === "load.smoke" || suite === "assay")).toBe(true);
    expect(
      audits({ stages: ["conformance"], suites: ["models"] }).every(({ id }) => /^conformance\.models|^complete/.test(id)),
    ).toBe(true);
  });

  it("refuses what run refuses, at once", () => {
    expect(() => audits({ suites: ["none" as "core"] })).toThrow(ConfigError);
  });

  it("shows a limiter that admits too many as its policy, with the finding", async () => {
    // At the same place in a window, whenever the test runs.
    const clock = { kind: "manual", startMs: workingDayMs + 20_000 } as const;
    const limited = keep(await startReferenceService({ clock, mutants: ["limits/over-admit-one"] }));
    // Neither bursts nor spend.
    const permissions = { ...limited.manifest.permissions, patchSettings: false, spendUpToCents: 0 };
    const request = { manifest: { ...limited.manifest, permissions }, suites: ["limits"], exam: "short" } as const;
    const settled = await settleAll({ ...request, stages: ["limits"] });
    const policy = settled.find(({ id }) => id === "limits/requests")!;
    expect(policy.outcome).toBe("failed");
    expect(policy.text).toMatch(/^limits\.[\w-]+\.\w{5} .*\n {2}expected: /);
    expect(settled.find(({ id }) => id === "limits/tokens")?.outcome).toBe("passed");
    expect(failed(settled)).not.toContain("limits/tokens");
  });

  it("fails as incomplete, naming the target's silence, where nothing answers", async () => {
    const settled = await settleAll({
      baseUrl: "http://127.0.0.1:9",
      key: "sk_test_0123456789",
      stages: ["conformance", "limits"],
    });
    expect(failed(settled)).toEqual(["complete"]);
    expect(settled.filter(({ outcome }) => outcome === "passed")).toEqual([]);
    expect(settled.every(({ outcome, text }) => outcome !== "skipped" || text.length > 5)).toBe(true);
    expect(settled.at(-1)!.text).toContain("exit code 3");
  });

  it("fails as incomplete when the program ends the run early", async () => {
    const controller = new AbortController();
    const onProgress: RunRequest["onProgress"] = ({ kind }) => kind === "advanced" && controller.abort();
    const settled = await settleAll({
      manifest,
      stages: ["conformance"],
      suites: ["core"],
      signal: controller.signal,
      onProgress,
    });
    expect(failed(settled)).toContain("complete");
  });

  it.each(["models/owner-absent", "models/bare-array", "models/crashes"])(
    "fails something exactly when the exit code is not 0: %s",
    async (mutant) => {
      service.switches.set([mutant]);
      const settled = await settleAll({ manifest, stages: ["conformance"], suites: ["models"] });
      service.switches.set([]);
      expect(failed(settled)).not.toEqual([]);
    },
  );

  it("starts one run however many audits wait for it", async () => {
    const starts: unknown[] = [];
    const onProgress: RunRequest["onProgress"] = (event) => event.kind === "stage-started" && starts.push(event);
    const settled = await settleAll({ manifest, stages: ["conformance"], suites: ["models"], onProgress });
    expect({ failed: failed(settled), starts: starts.length }).toEqual({ failed: [], starts: 1 });
  });
});
