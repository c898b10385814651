import { randomInt } from "node:crypto";
import type { VerifiedBundle } from "../verify/verify-bundle.ts";
import { allJudges } from "../../../conformance/judges/all-judges.ts";
import { spotCheck, type SpotCheck } from "../../../conformance/send/spot-check.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { createRealClock } from "../../../wire/clock/real-clock.ts";
import { createWire } from "../../../wire/client/wire.ts";
import { openJudgeContext } from "../../../run/judge-context.ts";
import { readRun } from "../../../run/record/read-run.ts";
import { bundleFiles } from "./bundle-files.ts";

/** Sends some requests of a bundle to a live target again, drawn by chance. */
export async function spotCheckBundle(bundle: VerifiedBundle, manifest: Manifest, count: number): Promise<SpotCheck> {
  const { record, exchanges } = await readRun(bundleFiles(bundle));
  const wire = createWire({ manifest, clock: createRealClock() });
  try {
    return await spotCheck({
      exchanges,
      count,
      draw: (most) => randomInt(most + 1),
      sender: wire,
      judges: allJudges,
      context: openJudgeContext(record.manifest),
      signal: new AbortController().signal,
    });
  } finally {
    await wire.close();
  }
}
