import { runExam } from "../../make/run-exam.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { createSimulation, type Network, type SimService } from "./simulator.ts";

/** A manifest that permits everything, for a simulated target. */
export function simulatedManifest(limit: number, changes: Partial<Manifest> = {}): Manifest {
  const key = (id: string): Manifest["keys"][string] => ({ secret: "", id, createdAtMs: null });
  return {
    target: {
      name: "simulation",
      baseUrl: "http://127.0.0.1",
      plan: null,
      timeoutMs: 5000,
      headers: {},
      tls: { rejectUnauthorized: true, caFile: null },
    },
    keys: { primary: key("key_1"), secondary: key("key_2") },
    models: { chat: "chat-model", embedding: null, transcription: null },
    features: {},
    limits: { requestsPerMinute: limit, tokensPerMinute: null, algorithm: null, queueing: "unknown" },
    permissions: {
      patchSettings: false,
      exhaustLimits: true,
      spendUpToCents: 0,
      fetchImages: false,
      createKeyProbe: false,
      faultTriggers: false,
      loadUpToRps: null,
    },
    restore: { keys: { primary: { burst_limit: null }, secondary: { burst_limit: null } }, account: null },
    faults: {},
    foreignKeyId: null,
    propagationSeconds: 60,
    exclusive: true,
    budget: { maxRequests: null, maxTokens: null, maxCostUsd: null },
    prices: { perMillionPromptTokens: 1, perMillionCompletionTokens: 1, perImage: 0.04, perAudioMinute: 0.006 },
    baseline: [],
    require: [],
    waive: [],
    control: { url: "http://127.0.0.1", token: "" },
    ...changes,
  };
}

/** One whole exam against a simulated service, judged. */
export async function examine(options: {
  readonly seed: number;
  readonly service: SimService;
  readonly network?: Network;
  readonly manifest: Manifest;
  readonly exam?: ExamDepth;
  readonly strict?: boolean;
}): Promise<LimitsJudgement> {
  const simulation = createSimulation(options.seed, options.service, options.network);
  await runExam({ manifest: options.manifest, ...simulation }, options.seed, { exam: options.exam ?? "short" });
  return judgeLimits({ exchanges: simulation.exchanges, manifest: options.manifest, strict: options.strict ?? false });
}

/**
 * The accusations against a limiter: findings that fail, rows of the catalogue that fail, and histories that no algorithm
 * explains.
 */
export function accusationsIn({ findings, occurrences }: LimitsJudgement): readonly string[] {
  const reported = findings.filter(({ verdict, check }) => verdict === "fail" || check === "limits.algorithm");
  const rows = occurrences.filter(({ outcome }) => outcome === "fail");
  return [
    ...reported.map(({ check, message }) => `${check} ${message}`),
    ...rows.map(({ requirement, message }) => `${requirement} ${message}`),
  ];
}
