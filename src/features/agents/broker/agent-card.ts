import type { CalibrationResult } from "../../../core/result/generator-health.ts";

/** How an agent that waits for work describes itself at the broker. Holds no secret. */
export interface AgentCard {
  /** Of this start of the agent; its queue is named by it. */
  readonly id: string;
  /** Chosen by its operator; default: the name of the machine and the process id. */
  readonly name: string;
  readonly version: string;
  readonly node: string;
  readonly cores: number;
  /** Digest of the base URL that it serves: an agent sends its keys to no other. */
  readonly target: string;
  /** X25519, of this start of the agent: keys of a target may be sealed for it. */
  readonly publicKey: string;
  readonly busy: boolean;
  /** The calibration of the agent when it started. */
  readonly calibration: CalibrationResult;
  /** To the broker and back, the shortest of some; half of it and of that of the coordinator bound what is known of its clock. */
  readonly roundTripMs: number;
  /** Open files that its system allows; null where it does not say. */
  readonly descriptors: number | null;
}
