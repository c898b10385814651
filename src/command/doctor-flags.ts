import type { ReachFlags } from "./target-flags.ts";

/** Flags of `assay doctor`, those of its features included. */
export interface DoctorFlags extends ReachFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly json: boolean;
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly profile?: string;
}
