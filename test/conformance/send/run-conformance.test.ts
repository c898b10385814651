import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Sender, SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { PendingSettings } from "../../../src/settings/settings-journal.ts";
import { replayFinding } from "../../../src/conformance/send/replay-finding.ts";
import { PassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { examineReference } from "../examine-reference.ts";
import { serveHttp } from "../../make/wire/test-server.ts";

/** Changes what one request of a case is answered, and nothing else. */
function spoiling(change: (exchange: Exchange) => Exchange): (sender: Sender) => Sender {
  return (sender) => ({
    send: async (request) => change(await sender.send(request)),
    burst: (requests) => sender.burst(requests),
  });
}

function withoutHeader(exchange: Exchange, name: string): Exchange {
  if (exchange.response === null) return exchange;
  return {
    ...exchange,
    response: { ...exchange.response, headers: exchange.response.headers.filter(([field]) => field !== name) },
  };
}

describe("pacing", () => {
  it("keeps below a limit of five requests per window without a single refusal", async () => {
    const examined = await examineReference({
      suites: ["chat"],
      manifest: (manifest) => ({ ...manifest, keys: { ...manifest.keys, primary: manifest.keys["lowLimit"]! } }),
    });
    const chat = examined.exchanges.filter((one) => one.endpoint === "chat");
    expect(chat.length).toBeGreaterThan(60);
    expect(chat.filter((one) => one.response?.status === 429)).toEqual([]);
    expect(examined.result.suites[0]).toMatchObject({ id: "chat", verdict: "conformant" });
  });

  it("sends at once what a limit admits, and the rest when it admits that", async () => {
    const examined = await examineReference({
      cases: ["core/at-once"],
      manifest: (manifest) => ({ ...manifest, keys: { ...manifest.keys, primary: manifest.keys["lowLimit"]! } }),
    });
    const own = examined.exchanges.filter(({ caseId }) => caseId === "core/at-once");
    expect(own.length).toBeGreaterThan(32);
    expect(own.filter(({ response }) => response?.status !== 200)).toEqual([]);
    expect(examined.findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  });

  it("waits out refusals of others and judges the repetition", async () => {
    let refused = 0;
    const examined = await examineReference({
      suites: ["models"],
      through: spoiling((exchange) => {
        if (exchange.endpoint !== "models" || exchange.caseId === "core/target-check" || refused >= 2) return exchange;
        refused += 1;
        return { ...exchange, response: { ...exchange.response!, status: 429 } };
      }),
    });
    expect(refused).toBe(2);
    expect(examined.exchanges.filter((one) => one.attempt === 2 && one.retryOf !== null).length).toBeGreaterThanOrEqual(2);
    expect(examined.verdicts.get("MOD-001")).toBe("pass");
  });
});

describe("a case that the budget does not hold", () => {
  it("waits for nothing once it is used up", async () => {
    const caseId = "stream/after-left-streams";
    let left = 8;
    const { exchanges } = await examineReference({
      cases: [caseId],
      through: spoiling((exchange) => {
        if (exchange.caseId !== caseId || left-- > 0) return exchange;
        return { ...exchange, response: null, failure: { kind: "budget", message: "the budget is used up" } };
      }),
    });
    const unsent = exchanges.filter(({ failure }) => failure?.kind === "budget");
    expect(unsent.length).toBeGreaterThan(1);
    // On a clock on which a minute passes by waiting alone.
    expect(unsent.at(-1)!.timing.sentMs - unsent[0]!.timing.sentMs).toBeLessThan(1000);
  });
});

describe("a list of models that always breaks off", () => {
  it("is a finding, and no target that does not answer", async () => {
    const { findings } = await examineReference({ mutants: ["op/trouble/models/reset"], suites: ["models"] });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ requirement }) => requirement)).toContain("SVC-021");
  });
});

describe("confirmation", () => {
  it("does not tell what a repetition does not show", async () => {
    let spoiled = 0;
    const examined = await examineReference({
      suites: ["core", "models"],
      through: spoiling((exchange) => {
        if (exchange.caseId !== "models/list" || spoiled > 0) return exchange;
        spoiled += 1;
        return withoutHeader(exchange, "x-ratelimit-reset-requests");
      }),
    });
    expect(spoiled).toBe(1);
    expect(examined.verdicts.get("RATE-003")).toBe("inconclusive");
    expect(examined.findings.filter((one) => one.requirement === "RATE-003")).toEqual([]);
  });

  it("says what it saw again, on fresh connections that name the first attempt", async () => {
    const examined = await examineReference({ suites: ["core", "models"], mutants: ["errors/details-missing"] });
    const finding = examined.findings.find((one) => one.requirement === "ERR-005");
    expect(finding).toMatchObject({ verdict: "fail", level: "must" });
    const again = examined.exchanges.filter((one) => one.retryOf !== null);
    expect(again.length).toBeGreaterThan(0);
    expect(again.every((one) => one.connection?.reused === false || one.connection === null)).toBe(true);
    expect(finding?.curl).toContain("$ASSAY_API_KEY");
  });
});

describe("a target that cannot be examined", () => {
  async function examineServer(answer: (url: string) => { status: number; type: string; body: string } | null): Promise<string> {
    const { url } = await serveHttp((request, response) => {
      const made = answer(request.url ?? "");
      if (made === null) return;
      response.writeHead(made.status, { "content-type": made.type });
      response.end(made.body);
    });
    return examineAt(url);
  }

  async function examineAt(baseUrl: string): Promise<string> {
    const at = (manifest: Manifest): Manifest => ({ ...manifest, target: { ...manifest.target, baseUrl, timeoutMs: 200 } });
    const { run, findings, result } = await examineReference({ manifest: at });
    expect(findings.filter((one) => one.verdict === "fail")).toEqual([]);
    expect(result.suites.every((suite) => suite.verdict === "incomplete")).toBe(true);
    return run.refusal?.kind ?? "none";
  }

  it("is distinguished: refused key, no API, failure, silence, nobody there", async () => {
    const json = "application/json";
    expect(await examineServer(() => ({ status: 401, type: json, body: '{"error":{"code":"no"}}' }))).toBe("key-refused");
    expect(await examineServer(() => ({ status: 404, type: "text/html", body: "<h1>Not found</h1>" }))).toBe("no-api");
    expect(await examineServer(() => ({ status: 500, type: "text/plain", body: "bad day" }))).toBe("failing");
    expect(await examineServer(() => null)).toBe("unreachable");
    expect(await examineAt("http://127.0.0.1:1")).toBe("unreachable");
  });

  it("is none whose list of models alone stays without an answer: the run goes on, with a finding", async () => {
    const examined = await examineReference({
      suites: ["core", "models"],
      through: spoiling((exchange) =>
        exchange.endpoint === "models"
          ? {
              ...exchange,
              response: null,
              failure: { kind: "timeout", message: "no answer", bound: { until: "head", ms: 60_000 } },
            }
          : exchange,
      ),
    });
    expect(examined.run.refusal).toBeNull();
    const silent = examined.findings.filter(({ requirement }) => requirement === "SVC-021");
    expect(silent.map(({ verdict, message }) => `${verdict}: ${message.slice(0, 40)}`)).toContain(
      "fail: GET /v1/models leaves requests without a",
    );
  });
});

describe("an interrupted run", () => {
  it("ends at once and says which cases are missing", async () => {
    const controller = new AbortController();
    let seen = 0;
    const examined = await examineReference({
      signal: controller.signal,
      through: spoiling((exchange) => {
        seen += 1;
        if (seen === 20) controller.abort(new Error("interrupted"));
        return exchange;
      }),
    });
    expect(examined.exchanges.length).toBeLessThan(60);
    expect(examined.run.unfinished.size).toBeGreaterThan(50);
    expect(examined.result.suites.some((suite) => suite.verdict === "non-conformant")).toBe(false);
  });
});

describe("settings", () => {
  it("are journalled before they change, and put back after", async () => {
    const pending = new Map<string, PendingSettings>();
    const history: string[] = [];
    const journal = {
      record: (entry: PendingSettings): void => {
        history.push(`record ${entry.subject}`);
        pending.set(entry.subject, entry);
      },
      complete: ({ subject }: PendingSettings): void => {
        history.push(`complete ${subject}`);
        pending.delete(subject);
      },
    };
    const examined = await examineReference({ suites: ["settings"], journal });
    expect(new Set(history)).toEqual(
      new Set(
        ["key:examSettings", "key:secondary", "account"].flatMap((subject) => [`record ${subject}`, `complete ${subject}`]),
      ),
    );
    expect([...pending]).toEqual([]);
    expect(examined.exchanges.some((one) => one.stage === "setup" && one.response?.status === 200)).toBe(true);
  });
});

describe("replay", () => {
  it("distinguishes a repaired fault from one that is still there", async () => {
    await examineReference({
      suites: ["core", "chat"],
      mutants: ["errors/details-missing"],
      afterwards: async ({ findings, exchanges, manifest }, service, sender) => {
        const finding = findings.find((one) => one.requirement === "ERR-005")!;
        const options = {
          finding,
          exchanges,
          sender,
          judges: allJudges,
          context: openJudgeContext(manifest),
          signal: new AbortController().signal,
        };
        expect((await replayFinding(options)).outcome).toBe("still fails");
        service.switches.set([]);
        expect((await replayFinding(options)).outcome).toBe("fixed");
        expect((await replayFinding({ ...options, exchanges: [] })).outcome).toBe("inconclusive");
      },
    });
  });
});

describe("a replayed request", () => {
  it("carries no field that the client makes, and none whose value the record does not hold", async () => {
    const sent: SendRequest[] = [];
    const examined = await examineReference({ suites: ["core", "models"], mutants: ["errors/details-missing"] });
    const finding = examined.findings.find((one) => one.requirement === "ERR-005")!;
    const masked = examined.exchanges.map((exchange) => ({
      ...exchange,
      request: {
        ...exchange.request,
        headers: [...exchange.request.headers, ["x-gateway-key", "<header:x-gateway-key>"] as const],
      },
    }));
    const sender: Sender = {
      send: async (request) => {
        sent.push(request);
        return examined.exchanges[0]!;
      },
      burst: () => Promise.reject(new Error("not needed")),
    };
    const context = openJudgeContext(examined.manifest);
    await replayFinding({ finding, exchanges: masked, sender, judges: allJudges, context, signal: AbortSignal.timeout(5000) });
    expect(sent.length).toBeGreaterThan(0);
    const names = sent.flatMap((request) => Object.keys(request.headers ?? {}).map((name) => name.toLowerCase()));
    expect(names).toContain("content-type");
    for (const name of ["x-gateway-key", "authorization", "host", "user-agent", "content-length"]) {
      expect(names).not.toContain(name);
    }
  });
});

describe("passive validation", () => {
  it("counts violations by kind of response and keeps the first ones", async () => {
    const examined = await examineReference({ suites: ["core", "chat"], mutants: ["errors/details-missing"] });
    const validator = new PassiveValidator({ judges: allJudges, context: openJudgeContext(examined.manifest) });
    for (const exchange of examined.exchanges) validator.observe(exchange);
    const summary = validator.summary();
    expect(summary.responsesSeen).toBe(examined.exchanges.length);
    const violation = summary.violations.find((one) => one.requirement === "ERR-005");
    expect(violation).toMatchObject({ stage: "conformance", subject: "422 chat" });
    expect(violation!.count).toBeGreaterThan(10);
    expect(violation!.outOf).toBe(violation!.count);
    expect(violation!.exchanges.length).toBeLessThanOrEqual(5);
  });
});
