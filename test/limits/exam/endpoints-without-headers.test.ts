import { describe, expect, it } from "vitest";
import { runExam } from "../../make/run-exam.ts";
import type { Sender } from "../../../src/core/exchange/send-request.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import type { LimitsRun } from "../../../src/limits/exam/run-limits.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation, type SimContext, type SimService } from "../simulation/simulator.ts";

/** As a proxy answers, which states nothing but Retry-After. */
function withoutHeaders(exchange: Exchange): Exchange {
  if (exchange.response === null) return exchange;
  const headers = exchange.response.headers.filter(([name]) => !name.startsWith("x-ratelimit"));
  return factsOf({ ...(JSON.parse(JSON.stringify(exchange)) as Exchange), response: { ...exchange.response, headers } });
}

/** Of the target, whose keys for exams are those of the manifest. */
function declared(manifest: Manifest): Manifest {
  return { ...manifest, limits: { ...manifest.limits, requestsPerMinute: 60 } };
}

async function examineUnstated(id: string | null, variants: readonly string[] = []): Promise<LimitsJudgement> {
  const { exchanges, manifest } = await recordSwitch("limits", id === null ? null : findSwitch(id), {
    time: "blind",
    isPaid: true,
    variants,
    declare: declared,
    through: (sender) => ({
      send: async (request) => withoutHeaders(await sender.send(request)),
      burst: async (requests) => (await sender.burst(requests)).map(withoutHeaders),
    }),
  });
  return judgeLimits({ exchanges: exchanges.map(withoutHeaders), manifest, strict: false });
}

describe("endpoints of a service that states nothing but Retry-After", () => {
  it.each([
    ["limits/streams-exempt", "chat", /no window algorithm admits more/],
    ["limits/embeddings-exempt", "embeddings", /no window algorithm admits more/],
    ["limits/uploads-exempt", "transcriptions", /no window algorithm admits more/],
  ])("%s is found on %s by the declared limit", async (id, endpoint, words) => {
    const { result } = await examineUnstated(id);
    const failed = result.policies.filter(({ verdict }) => verdict === "fail");
    expect(failed.map((policy) => policy.endpoint)).toEqual([endpoint]);
    expect(failed[0]!.checks.find((check) => check.id === "limits.over-admission")!.message).toMatch(words);
  });

  const ways = [[], ["limits/sliding-log"], ["limits/sliding-counter"], ["limits/gcra"], ["limits/batch-refill"]];
  it.each(sampleOf(ways, 3).map((variants) => [variants]))(
    `are all judged and none is accused (%j, ${sampleTitle})`,
    async (variants) => {
      const { result, findings } = await examineUnstated(null, variants);
      expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
      const judged = result.policies.filter(({ verdict }) => verdict !== "inconclusive").map(({ endpoint }) => endpoint);
      expect(new Set(judged)).toEqual(new Set(["chat", "embeddings", "models", "transcriptions"]));
      expect(judged).toHaveLength(4);
    },
  );

  it("shows streams that pass by a small limit: admitted between two refusals of plain requests", async () => {
    const { exchanges, manifest } = await simulate(30, (context, inner) => {
      const { body } = context.request;
      const isStream = body?.kind === "json" && (body.value as { readonly stream?: boolean }).stream === true;
      if (isStream) context.reply({ status: 200, headers: {}, events: ["[DONE]"] });
      else inner(context);
    });
    const { findings } = judgeLimits({ exchanges, manifest, strict: false });
    const failed = findings.filter(({ verdict }) => verdict === "fail");
    expect(failed.map(({ check }) => check)).toEqual(["limits.over-admission"]);
    expect(failed[0]!.message).toMatch(/streams .* were admitted within .* and #\d+ was refused again/);
  });

  it("are listed as not judged where the manifest declares no limit either", async () => {
    const { notJudged, exchanges, manifest } = await simulate(null, (context, inner) => inner(context));
    const { policies } = judgeLimits({ exchanges, manifest, strict: false }).result;
    expect(policies.map(({ verdict, summary }) => `${verdict}: ${summary}`).join()).toMatch(
      /^inconclusive: .*limits\.requestsPerMinute/,
    );
    const own = notJudged.filter(({ policy }) => policy === "requests, chat");
    expect(own.map(({ text }) => text).join()).toContain("limits.requestsPerMinute");
  });
});

/** A window of 30 on each path, with this before it; states nothing. */
async function simulate(
  requestsPerMinute: number | null,
  before: (context: SimContext, inner: SimService) => void,
): Promise<Pick<LimitsRun, "notJudged"> & { readonly exchanges: readonly Exchange[]; readonly manifest: Manifest }> {
  const base = simulatedManifest(30);
  const manifest: Manifest = {
    ...base,
    control: null,
    restore: { keys: {}, account: null },
    permissions: { ...base.permissions, spendUpToCents: 500 },
    limits: { ...base.limits, requestsPerMinute },
  };
  const inner = serveRequests(lawfulLimiters.find(({ id }) => id === "fixed-from-first")!.create(30, 60_000));
  const { sender, clock, exchanges } = createSimulation(3, (context) => before(context, inner));
  const silent: Sender = {
    send: async (request) => withoutHeaders(await sender.send(request)),
    burst: async (requests) => (await sender.burst(requests)).map(withoutHeaders),
  };
  const { notJudged } = await runExam({ manifest, sender: silent, clock }, 3);
  return { notJudged, exchanges: exchanges.map(withoutHeaders), manifest };
}
