import type { ProfileContent, RepeatPlace } from "../../core/result/load-result.ts";
import type { Arrivals } from "./arrivals.ts";
import type { AbortFile, LimitScenario, ProfileFile, RetryFile, ServiceLevelFile } from "./file/profile-file.ts";
import type { Gate } from "./gate.ts";
import type { ProbePolicy } from "./probe-policy.ts";
import type { WorkloadItem } from "./workload-item.ts";

/** A load profile as the engine takes it: every default filled in. Members that a file has, too, are described there. */
export interface LoadProfile extends Required<Omit<ProfileFile, "$schema" | FilledMember>> {
  readonly arrivals: Arrivals;
  readonly workload: readonly WorkloadItem[];
  readonly retry: RetryPolicy;
  readonly slo: ServiceLevel;
  readonly gates: readonly Gate[];
  readonly abort: AbortPolicy;
  /** Absent: no other key asks meanwhile. */
  readonly probe?: ProbePolicy;
  /** Null for none: what is watched and waited for follows from it (limit-scenarios.ts). */
  readonly limitScenario: LimitScenario | null;
  /** Of a profile that is sent several times; absent: once. */
  readonly repeat?: RepeatPlace;
  /** Identifies what is sent; filled in when the profile is loaded with its files. */
  readonly content?: ProfileContent;
}

type FilledMember = "arrivals" | "workload" | "retry" | "slo" | "gates" | "abort" | "probe" | "limitScenario";

type RetryPolicy = Required<RetryFile>;

/** Bounds of a good answer; null: there is none. */
export type ServiceLevel = { readonly [Bound in keyof ServiceLevelFile]-?: number | null };

export type AbortPolicy = Required<AbortFile>;
