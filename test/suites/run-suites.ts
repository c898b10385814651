import type { Manifest } from "../../src/core/manifest.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { startReferenceService, type ReferenceServiceOptions } from "../../src/reference/start-reference-service.ts";
import { ControlClock } from "../../src/wire/clock/control-clock.ts";
import { type ExaminedTarget, examineTarget } from "../make/examine-target.ts";

/** Runs whole suites against the reference service over real sockets; time passes on its control plane. */
export async function runSuites(
  suites: readonly SuiteId[],
  service: ReferenceServiceOptions = {},
  adapt: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<ExaminedTarget> {
  const reference = await startReferenceService(service);
  try {
    const clock = new ControlClock(reference.manifest.control!);
    return await examineTarget({ manifest: adapt(reference.manifest), clock, suites, seed: 7 });
  } finally {
    await reference.close();
  }
}
