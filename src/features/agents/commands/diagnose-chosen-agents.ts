import type { Diagnosis } from "../../../command/diagnosis.ts";
import type { DoctorFlags } from "../../../command/doctor-flags.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { planLoad } from "../../../load/plan/plan-load.ts";
import { loadProfile } from "../../../load/plan/read-profile.ts";
import { readToolVersion } from "../../../run/tool-version.ts";
import { diagnoseAgents } from "../doctor/diagnose-agents.ts";
import { readBroker } from "./read-broker.ts";

/** Diagnoses the agents that wait at the broker of `--redis`, for the profile of `--profile` where it is given. */
export async function diagnoseChosenAgents(
  flags: DoctorFlags & { readonly redis: string },
  manifest: Manifest,
): Promise<readonly Diagnosis[]> {
  const { redis, redisPrefix, profile: name } = flags;
  const loaded = name === undefined ? null : loadProfile(name);
  const planned = loaded === null ? null : { profile: loaded.profile, plan: planLoad({ ...loaded, manifest, seed: 1 }) };
  const broker = readBroker({ redis, ...(redisPrefix === undefined ? {} : { redisPrefix }) });
  return diagnoseAgents({ broker, manifest, version: readToolVersion(), planned });
}
