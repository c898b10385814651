import { describe, expect, it } from "vitest";
import { estimateWorstCase } from "../../../src/core/cost-estimate.ts";
import type { SendRequest, Sender } from "../../../src/core/exchange/send-request.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { type LimitsPlan, planLimits } from "../../../src/limits/exam/plan-limits.ts";
import { mostUndeclared } from "../../../src/limits/probe/reach.ts";
import { runExam } from "../../make/run-exam.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation } from "../simulation/simulator.ts";

type Endpoint = NonNullable<Manifest["limits"]["endpoint"]>;

interface PaidExam extends LimitsJudgement {
  readonly plan: LimitsPlan;
  /** The most that the sent requests cost, each of them served. */
  readonly cents: number;
  /** Requests to the endpoint that lack a body, which a target refuses as wrong. */
  readonly bodiless: number;
}

/** An exam in real time of one endpoint of a target with this limit, which the manifest does not declare. */
async function examineUndeclared(endpoint: Endpoint, limit: number): Promise<PaidExam> {
  const base = simulatedManifest(limit);
  const manifest: Manifest = {
    ...base,
    models: { chat: "chat-model", embedding: "embedding-model", transcription: "transcription-model" },
    // So dear that cents are no matter of rounding.
    prices: { perMillionPromptTokens: 30, perMillionCompletionTokens: 120, perImage: 0.04, perAudioMinute: 0.6 },
    limits: { ...base.limits, requestsPerMinute: null, endpoint },
    control: null,
  };
  const limiter = lawfulLimiters.find(({ id }) => id === "fixed-aligned")!;
  const simulation = createSimulation(3, serveRequests(limiter.create(limit, 60_000)));
  let cents = 0;
  let bodiless = 0;
  const pay = (request: SendRequest): SendRequest => {
    cents += 100 * estimateWorstCase(request, manifest.prices).costUsd;
    if (request.endpoint === endpoint && request.body === undefined) bodiless += 1;
    return request;
  };
  const sender: Sender = {
    send: (request) => simulation.sender.send(pay(request)),
    burst: (requests) => simulation.sender.burst(requests.map(pay)),
  };
  const plan = await planLimits(manifest, "short");
  const { notJudged } = await runExam({ manifest, sender, clock: simulation.clock }, 3, {}, plan);
  return { ...judgeLimits({ exchanges: simulation.exchanges, manifest, strict: false, notJudged }), plan, cents, bodiless };
}

describe("the cents of a plan whose request limit is not declared", () => {
  const endpoints = ["chat", "embeddings", "transcriptions"] as const;
  it.each(endpoints.flatMap((endpoint) => [60, mostUndeclared].map((limit) => [endpoint, limit] as const)))(
    "are those of what is sent to %s, within the range of limits that are supposed (%d)",
    async (endpoint, limit) => {
      const { plan, cents, bodiless, findings } = await examineUndeclared(endpoint, limit);
      const [supposed, largest] = plan.range.cents;
      const planned = limit === mostUndeclared ? largest : supposed;
      expect(cents).toBeLessThanOrEqual(planned);
      expect(cents).toBeGreaterThan(0.6 * planned);
      expect(plan.cents).toBe(largest);
      expect(findings).toEqual([]);
      // Of other keys as well: else they would show nothing of the limit, and be planned as the dearest request there can be.
      expect(bodiless).toBe(0);
    },
  );

  it("are not exceeded where the target allows more: that is not judged, and said", async () => {
    const { plan, cents, result } = await examineUndeclared("chat", mostUndeclared + 1);
    expect(cents).toBeLessThan(plan.cents / 4);
    expect(result.notJudged.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining(`a limit of ${mostUndeclared + 1} costs more to use up than is planned`),
    );
  });

  it("are none where requests cost nothing, however many there are", async () => {
    const { plan, cents, result } = await examineUndeclared("models", mostUndeclared + 1);
    expect([plan.cents, plan.range.cents, cents]).toEqual([0, [0, 0], 0]);
    expect(result.notJudged.map(({ reason }) => reason).filter((reason) => reason.includes("costs more"))).toEqual([]);
  });
});
