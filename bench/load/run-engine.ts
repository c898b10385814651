import { openJudgeContext } from "../../src/run/judge-context.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";

export interface EngineRun {
  readonly url: string;
  /** Members of the profile. */
  readonly change: object;
  /** Whether every answer passes all judges, as in a run; the engine alone otherwise. */
  readonly judged: boolean;
  readonly clock: Clock;
  readonly onExchange?: (exchange: Exchange) => void;
}

/** Keys of such services have some fifty characters; what is recorded is searched for them. */
function withUsualKey(manifest: Manifest): Manifest {
  const secret = "sk-bench-4fZ8qLw2Xn6RtYc1Vb9Km3Hs7Jd5Pg0Ea8Ui2Oz";
  return {
    ...manifest,
    keys: Object.fromEntries(Object.entries(manifest.keys).map(([name, key]) => [name, { ...key, secret }])),
  };
}

/** One profile on the real engine. With judges it fails when they accuse the bench's own server: it would be the slow way. */
export async function runEngine({ url, change, judged, clock, onExchange }: EngineRun): Promise<LoadProfileResult> {
  const manifest = withUsualKey(manifestFor(url));
  const passive = new PassiveValidator({
    judges: allJudges,
    context: openJudgeContext(manifest),
  });
  const wire = createWire({
    manifest,
    clock,
    digests: false,
    maxConnections: 20_000,
    ...(judged ? { onExchange: (exchange: Exchange) => passive.observe(exchange) } : {}),
  });
  const profile = readProfile(
    JSON.stringify({
      id: "bench",
      title: "Bench",
      timeoutSeconds: 60,
      maxInFlight: 20_000,
      workload: [{ endpoint: "models" }],
      ...change,
    }),
    "bench",
  );
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    seed: 1,
    ...(onExchange === undefined ? {} : { onExchange }),
  });
  await wire.close();
  const { violations } = passive.summary();
  const reported = violations.find(({ stage, subject }) => stage === "load" && subject.startsWith("200 "));
  if (reported !== undefined) throw new Error(`the bench's server violates ${reported.requirement}: ${reported.message}`);
  return result;
}
