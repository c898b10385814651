import type { ServiceStyle } from "./request-service.ts";
import { quietNetwork, type Network } from "./simulator.ts";

/** Lawful behaviour of a service and of the way to it, on top of which a correct limiter must not be accused. */
export interface Disturbance {
  readonly id: string;
  readonly style: ServiceStyle;
  readonly network: Network;
  /** Limiters that this disturbance would make unlawful. */
  readonly skip?: readonly string[];
}

const near = (changes: Partial<Network>): Network => ({ ...quietNetwork, ...changes });

export const disturbances: readonly Disturbance[] = [
  { id: "none", style: {}, network: quietNetwork },
  { id: "late read", style: { lateRead: true, processingMs: 15 }, network: near({ onewayMs: 5 }) },
  {
    id: "remaining before the request",
    style: { before: true },
    network: quietNetwork,
    skip: ["fixed-rounded", "bucket-rounded"],
  },
  { id: "reset rounded down", style: { round: "floor" }, network: quietNetwork },
  { id: "reset rounded to nearest", style: { round: "round" }, network: quietNetwork },
  { id: "heavy jitter", style: {}, network: near({ onewayMs: 10, sigma: 1.2 }) },
  { id: "wide area", style: {}, network: near({ onewayMs: 60, sigma: 0.4, burstSpreadMs: 30 }) },
  { id: "slow upstream", style: { processingMs: 900 }, network: near({ onewayMs: 8 }) },
  { id: "lost answers", style: {}, network: near({ lossShare: 0.02, onewayMs: 5 }) },
  { id: "three skewed instances", style: {}, network: near({ skewMs: 150, onewayMs: 5 }) },
  { id: "spread bursts", style: {}, network: near({ burstSpreadMs: 200 }) },
  { id: "late read, slow and jittery", style: { lateRead: true, processingMs: 400 }, network: near({ onewayMs: 15, sigma: 1 }) },
];
