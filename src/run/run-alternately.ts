import { loadManifest } from "../config/load-manifest.ts";
import { redactManifest } from "../config/redact-manifest.ts";
import type { LoadProfileResult } from "../core/load-result.ts";
import type { Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Result } from "../core/result.ts";
import { loadProfile } from "../load/read-profile.ts";
import { runInterleaved } from "../load/run-interleaved.ts";
import { runLoadProfile } from "../load/run-load-profile.ts";
import { createBudget } from "../wire/budget.ts";
import { createRealClock } from "../wire/real-clock.ts";
import { createWire, type Wire } from "../wire/wire.ts";
import { discoverModels } from "./discover-models.ts";
import { judgeRun } from "./judge-run.ts";
import { preflight } from "./preflight.ts";
import { readToolVersion } from "./tool-version.ts";

export interface AlternateOptions {
  readonly base: string;
  readonly next: string;
  readonly profile: string;
  readonly rounds: number;
  readonly seed: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * Measures two targets in turns with one profile. The key of both is ASSAY_API_KEY unless ASSAY_NEW_API_KEY names another for
 * the second. Nothing is written.
 */
export async function runAlternately(options: AlternateOptions): Promise<{ readonly base: Result; readonly next: Result }> {
  const { env, seed, signal } = options;
  const startedAt = new Date().toISOString();
  const manifests = {
    base: manifestOf(options.base, env),
    next: manifestOf(options.next, { ...env, ASSAY_API_KEY: env["ASSAY_NEW_API_KEY"] ?? env["ASSAY_API_KEY"] }),
  };
  const { profile, trace } = loadProfile(options.profile);
  const clock = createRealClock();
  const wires = {
    base: createWire({ manifest: manifests.base, clock, budget: createBudget(manifests.base), signal }),
    next: createWire({ manifest: manifests.next, clock, budget: createBudget(manifests.next), signal }),
  };
  try {
    const ready = {
      base: await chooseModels(manifests.base, wires.base, options),
      next: await chooseModels(manifests.next, wires.next, options),
    };
    const measured = await runInterleaved({
      rounds: options.rounds,
      signal,
      run: (side, round) => {
        options.say(`round ${round + 1} of ${options.rounds}: ${side === "base" ? options.base : options.next}`);
        return runLoadProfile({
          profile,
          manifest: ready[side],
          sender: wires[side],
          clock,
          seed: seed + round,
          signal,
          ...(trace === null ? {} : { trace }),
        });
      },
    });
    const resultOf = (side: "base" | "next"): Result =>
      describeSide(ready[side], measured[side], { startedAt, seed, profile: profile.id });
    return { base: resultOf("base"), next: resultOf("next") };
  } finally {
    await Promise.all([wires.base.close(), wires.next.close()]);
  }
}

async function chooseModels(manifest: Manifest, wire: Wire, { say, signal }: AlternateOptions): Promise<Manifest> {
  const onProgress: OnProgress = (event) => (event.kind === "note" ? say(event.text) : undefined);
  const { exchange } = await preflight(manifest, wire, { onProgress, signal });
  return discoverModels(manifest, exchange).manifest;
}

function manifestOf(baseUrl: string, env: AlternateOptions["env"]): Manifest {
  const loaded = loadManifest({ file: null, baseUrl, workingDirectory: process.cwd(), env });
  if (loaded === null) throw new Error(`no manifest for ${baseUrl}`);
  return loaded.manifest;
}

function describeSide(
  manifest: Manifest,
  profiles: readonly LoadProfileResult[],
  { startedAt, seed, profile }: { readonly startedAt: string; readonly seed: number; readonly profile: string },
): Result {
  return judgeRun(
    {
      schemaVersion: "1.0",
      runId: startedAt,
      command: ["assay", "compare", "--profile", profile],
      seed,
      strict: false,
      stages: ["load"],
      suites: [],
      startedAt,
      durationMs: profiles.reduce((sum, one) => sum + one.durationMs, 0),
      interrupted: null,
      internalError: null,
      invalidBecause: [],
      tool: { name: "assay", version: readToolVersion(), node: process.version, platform: `${process.platform} ${process.arch}` },
      server: null,
      manifest: redactManifest(manifest),
      untested: [],
      limitsNotJudged: [],
      spent: { requests: 0, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
      health: { valid: true, reasons: [], loopUtilization: null, loopDelayMaxMs: null, clockOffsetMs: null, transportRaces: 0 },
      load: { profiles, calibration: null },
      loadFindings: [],
      passive: { responsesSeen: 0, responsesJudged: 0, violations: [] },
      notes: [],
    },
    [],
  );
}
