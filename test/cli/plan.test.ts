import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { folderWith, runAssay, type Ended } from "./run-assay.ts";
import { keep } from "../make/keep.ts";

/** An address kept for documentation: whoever sends to it waits in vain. */
const elsewhere = "http://192.0.2.2";

/** A command in a folder with this manifest, over a target that is elsewhere unless the manifest says otherwise. */
function runWith(manifest: object, args: readonly string[], files: object = {}, secret = "sk-0123456789"): Promise<Ended> {
  const whole = { target: { name: "t", baseUrl: elsewhere, timeoutMs: 500 }, keys: { primary: "${ASSAY_API_KEY}" }, ...manifest };
  return runAssay(args, { folder: folderWith({ "assay.config.yaml": whole, ...files }), env: { ASSAY_API_KEY: secret } });
}

function tryProfile(profile: object, manifest: object, flags: readonly string[], baseUrl = elsewhere): Promise<Ended> {
  const file = { id: "p", title: "P", workload: [{ endpoint: "models" }], ...profile };
  const target = { name: "t", baseUrl, timeoutMs: 500 };
  return runWith({ target, ...manifest }, ["load", "--profile", "p.yaml", ...flags], { "p.yaml": file });
}

const spike = {
  arrivals: { kind: "spike", basePerSecond: 1, peakPerSecond: 50, atSeconds: 1, forSeconds: 1 },
  durationSeconds: 3,
};
const twenty = { arrivals: { kind: "constant", ratePerSecond: 20 }, durationSeconds: 1 };

describe("a profile that may not be run", () => {
  it.each([
    ["a spike against another machine", spike, {}, elsewhere, "permissions.loadUpToRps allows 5"],
    ["more sends than the budget holds", twenty, { budget: { maxRequests: 5 } }, "http://127.0.0.1:1", "the budget holds 5"],
    [
      "a permission",
      { ...twenty, needs: ["exhaustLimits"] },
      {},
      "http://127.0.0.1:1",
      "permissions.exhaustLimits is not granted",
    ],
    ["settings to put back", { ...twenty, workload: [{ endpoint: "key-settings" }] }, {}, "http://127.0.0.1:1", "patchSettings"],
    [
      "a size that nobody declared",
      { arrivals: { kind: "bursts", bursts: [{ at: 0, size: "burst+1" }] } },
      {},
      "http://127.0.0.1:1",
      "burst_limit of the key",
    ],
  ])("is reported by the plan as by the run, with the same exit code: %s", async (_, profile, manifest, url, reason) => {
    const plan = await tryProfile(profile, manifest, ["--plan"], url);
    expect(plan.stdout).toContain(`would not run: `);
    expect(plan.stdout).toContain(reason);
    const run = await tryProfile(profile, manifest, [], url);
    expect(run.stderr).toContain(reason);
    expect([plan.exitCode, run.exitCode, run.stdout]).toEqual([2, 2, ""]);
    expect(existsSync(join(run.folder, "reports"))).toBe(false);
  });

  it("is kept apart from one that may be, and from a limit that the target can be asked for", async () => {
    const may = await tryProfile(twenty, { budget: { maxRequests: 100 } }, ["--plan"], "http://127.0.0.1:1");
    expect([may.exitCode, may.stdout.includes("would not run")]).toEqual([0, false]);
    expect(may.stdout).toContain("load p: at most 40 requests, 0 tokens, 0.00 USD");
    const asked = await tryProfile(
      { arrivals: { kind: "bursts", bursts: [{ at: 0, size: "limit+1" }] } },
      {},
      ["--plan"],
      "http://127.0.0.1:1",
    );
    expect([asked.exitCode, asked.stdout.includes("would not run")]).toEqual([0, false]);
    const closed = { arrivals: { kind: "closed", concurrency: 2 } };
    const bounded = await tryProfile(closed, { budget: { maxRequests: 100 } }, ["--plan"], "http://127.0.0.1:1");
    expect(bounded.stdout).toContain("the budget of the run ends it: at most 100 requests");
  });

  it("leaves a run that does other things not valid, not impossible", async () => {
    const plan = await runWith({}, ["run", "--profile", "smoke", "--plan"]);
    expect([plan.exitCode, plan.stdout.includes("  would not run: it sends up to")]).toEqual([3, true]);
  });
});

describe("a plan of exams for which there is no time", () => {
  it("ends as its run does, and says why", async () => {
    const service = keep(await startReferenceService());
    const manifest = {
      target: { name: "t", baseUrl: service.url, timeoutMs: 2000 },
      keys: { primary: "${ASSAY_API_KEY}" },
      limits: { requestsPerMinute: 600 },
      permissions: { exhaustLimits: true },
    };
    const of = (maxMinutes: number, args: readonly string[]): Promise<Ended> =>
      runWith({ ...manifest, budget: { maxMinutes } }, ["limits", ...args], {}, service.manifest.keys["primary"]!.secret);
    const plan = await of(0.01, ["--plan"]);
    expect(plan.stdout).toContain("budget.maxMinutes leaves no time to any exam: the run would judge no limit and end with 3");
    expect([plan.exitCode, (await of(0.01, [])).exitCode]).toEqual([3, 3]);
    const enough = await of(10, ["--plan"]);
    expect([enough.exitCode, enough.stdout.includes("leaves no time")]).toEqual([0, false]);
  });
});

describe("a plan without a manifest", () => {
  it("supposes the models that a run would look for", async () => {
    const env = { ASSAY_API_KEY: "sk-0123456789" };
    const flags = ["check", "--plan", "--suite", "chat"];
    const plan = await runAssay([...flags, "--base-url", elsewhere], { env });
    expect(plan.stdout).toContain("supposes that it finds one of each kind");
    expect(plan.stdout).toMatch(/^conformance: [2-9]\d cases, /m);
    const named = await runWith({ models: { embedding: "e" } }, flags);
    expect(named.stdout).toContain("no chat model in the manifest");
  });
});

describe("the bounds of each stage", () => {
  it("stand in the plan, as text and as JSON", async () => {
    const manifest = {
      target: { name: "t", baseUrl: elsewhere, plan: "pro", timeoutMs: 5000 },
      permissions: { exhaustLimits: true, loadUpToRps: 50 },
      limits: { requestsPerMinute: 20 },
    };
    const flags = ["run", "--profile", "smoke", "--plan"];
    const { stdout } = await runWith(manifest, flags);
    const json = await runWith(manifest, [...flags, "--json"]);
    interface Bounds {
      readonly conformance: { readonly minutes: number; readonly atMost: { waitMinutes: number; silentSeconds: number } };
      readonly limits: { readonly minutes: number; readonly atMostMinutes: number; readonly supposed: number | null };
      readonly load: readonly { readonly atMostSeconds: number }[];
    }
    const { conformance, limits, load } = JSON.parse(json.stdout) as Bounds;
    expect([limits.supposed, stdout.includes("supposed")]).toEqual([null, false]);
    // Six answers and six more for the confirmation, each of 5 s for its head and 15 s for its body.
    expect(conformance.atMost).toEqual({ waitMinutes: Math.max(30, Math.ceil(10 * conformance.minutes)), silentSeconds: 240 });
    expect(limits.atMostMinutes).toBeGreaterThan(3 * limits.minutes);
    const said = stdout.split("\n").filter((line) => line.startsWith("  whatever the target does: "));
    expect(said).toEqual([
      `  whatever the target does: at most ${conformance.atMost.waitMinutes} min of waits, and 240 s for requests of one kind that are never answered`,
      `  whatever the target does: at most ${limits.atMostMinutes} min`,
      `  whatever the target does: at most ${load[0]!.atMostSeconds} s`,
    ]);
  });
});

describe("the endpoint whose limit is examined in depth", () => {
  it.each([
    ["by the flag", ["--endpoint", "chat"], {}],
    ["by the manifest", [], { endpoint: "chat" }],
  ])("is chosen %s, and the list of models is left alone", async (_, flags, limits) => {
    const permissions = { exhaustLimits: true, spendUpToCents: 50 };
    const { stdout } = await runWith({ models: { chat: "c", embedding: "e" }, permissions, limits }, [
      "limits",
      "--plan",
      ...flags,
    ]);
    expect(stdout).toMatch(/Request limit, chat: \d+ requests/);
    expect(stdout).toMatch(/Request limit of embeddings, shortly: \d+ requests/);
    expect(stdout).not.toContain("Request limit, models");
    expect(stdout).toMatch(/^ {2}by limits that are not declared: at most 0\.\d\d USD to [12]\.\d\d USD \(/m);
  });
});

describe("a plan that asks", () => {
  it("sends two requests and plans by the bucket that they show", async () => {
    const service = keep(await startReferenceService({ clock: "real", variants: ["limits/burst-below-limit"] }));
    const { secret } = service.manifest.keys["starter"]!;
    const target = { name: "t", baseUrl: service.manifest.target.baseUrl };
    const manifest = { target, permissions: { exhaustLimits: true } };
    const plan = async (...flags: readonly string[]): Promise<string> =>
      (await runWith(manifest, ["limits", "--plan", ...flags], {}, secret)).stdout;
    const [silent, asked] = [await plan(), await plan("--ask")];
    expect(silent).toContain("(limits.algorithm narrows it, and so does --ask)");
    expect(asked).toMatch(/asked, by two requests for the list of models: a bucket that holds 1[56] of 60/);
    expect(asked).not.toContain("by how the target counts");
    expect([silent, asked].map((text) => text.includes("a limit of 60 requests per window, which is supposed"))).toEqual([
      true,
      false,
    ]);
    // test/limits/exam/plan.test.ts measures the requests that the exam sends to this bucket.
    expect(asked).toMatch(/Request limit, models: (19|20|21)\d requests, about 1\.\d min/);
  });
});
