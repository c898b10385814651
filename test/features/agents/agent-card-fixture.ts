import type { CalibrationResult } from "../../../src/core/result/generator-health.ts";
import type { AgentCard } from "../../../src/features/agents/broker/agent-card.ts";
import { targetDigest } from "../../../src/features/agents/broker/target-digest.ts";
import { readToolVersion } from "../../../src/run/tool-version.ts";

const spread = { p50: 0.1, p99: 0.4, samples: 500 };

export const fixedCalibration: CalibrationResult = {
  ttftErrorMs: spread,
  eventErrorMs: spread,
  interTokenErrorMs: spread,
  intervalCoverage: 1,
  upperBoundHeld: 1,
  ceiling: { requestsPerSecond: 500, eventsPerSecond: 5000, streams: 100 },
  durationMs: 1,
};

export function cardOf(name: string, baseUrl: string, id: string = name): AgentCard {
  return {
    id,
    name,
    version: readToolVersion(),
    node: process.version,
    cores: 2,
    target: targetDigest(baseUrl),
    publicKey: "A".repeat(43),
    busy: false,
    calibration: fixedCalibration,
    roundTripMs: 0.4,
    descriptors: 4096,
  };
}
