import { describe, expect, it } from "vitest";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { rejectsAsStated } from "../../src/conformance/judges/rejections/rejects-as-stated.ts";
import { framingRefused } from "../../src/conformance/judges/wellformed/framing-refused.ts";
import { isFramingRefusal } from "../../src/conformance/judging/is-framing-refusal.ts";
import { replayFinding } from "../../src/conformance/send/replay-finding.ts";
import { curlLine } from "../../src/conformance/verdict/curl-line.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { headerValues } from "../../src/core/exchange/headers/header-list.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { type ExchangeDraft, makeExchange } from "../make/exchanges/make-exchange.ts";
import { contextWith } from "../suites/judge-with.ts";
import { startGateway } from "../make/wire/gateway.ts";
import { examineReference } from "./examine-reference.ts";
import { printJudge } from "./judges/print-occurrences.ts";

const sent = { model: "m", messages: [{ role: "user", content: "hello" }] };

type Field = readonly [name: string, value: string];
const inChunks: Field = ["transfer-encoding", "chunked"];
const afterContinue: Field = ["expect", "100-continue"];

/** A valid chat request in another framing, and its answer. */
function framed(field: Field, draft: ExchangeDraft, version?: "1.0"): Exchange {
  const exchange = makeExchange({ endpoint: "chat", sent, ...draft });
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, headers: [...request.headers, field] },
    response: response === null || version === undefined ? response : { ...response, version },
  };
}
const plain = makeExchange({ seq: 1, endpoint: "chat", sent });
const page = { headers: [["content-type", "text/html"]], received: "<h1>Length Required</h1>" } as const;

const failures = (exchanges: readonly Exchange[]): readonly string[] =>
  judgeExchanges(exchanges, allJudges, contextWith({}))
    .filter(({ outcome, exchanges: [seq] }) => outcome === "fail" && seq === 2)
    .map(({ requirement }) => requirement);

describe("a server that takes no body in chunks", () => {
  it("is accused where it speaks HTTP/1.1 and refuses them with another status than 411", () => {
    for (const status of [400, 422, 501]) expect(failures([plain, framed(inChunks, { seq: 2, status })])).toContain("REQ-006");
  });

  it("is named and not accused where it demands a length, whatever wrote the refusal", () => {
    const refused = framed(inChunks, { seq: 2, status: 411, ...page });
    expect(failures([plain, refused])).toEqual([]);
    expect(printJudge(framingRefused, [refused])).toEqual([
      "REQ-006 observed #2 = a body in chunks is refused: the server demands a length (411), which RFC 9110, section 15.5.12, allows",
    ]);
    // The length of a body that is held back is stated.
    expect(failures([plain, framed(afterContinue, { seq: 2, status: 411 })])).toContain("REQ-007");
  });

  it("is named and not accused where it answers in HTTP/1.0", () => {
    for (const status of [400, 501]) {
      const refused = framed(inChunks, { seq: 2, status, ...page }, "1.0");
      expect(failures([plain, refused])).toEqual([]);
      expect(printJudge(framingRefused, [refused]).join()).toContain("REQ-006 observed #2");
    }
  });

  it("has no excuse for a request with a length", () => {
    const refused = makeExchange({ seq: 2, endpoint: "chat", sent: { ...sent, temperature: 1 }, status: 411 });
    expect(failures([plain, refused])).not.toEqual([]);
    expect(printJudge(framingRefused, [refused])).toEqual([]);
  });
});

describe("a server that refuses what expects 100 Continue", () => {
  it("is accused where it refuses it with another status than 417", () => {
    for (const status of [400, 422, 501])
      expect(failures([plain, framed(afterContinue, { seq: 2, status })])).toContain("REQ-007");
  });

  it("is named and not accused where it answers 417 or in HTTP/1.0, whatever wrote the refusal", () => {
    for (const refused of [
      framed(afterContinue, { seq: 2, status: 417, ...page }),
      framed(afterContinue, { seq: 2, status: 400, ...page }, "1.0"),
    ]) {
      expect(failures([plain, refused])).toEqual([]);
      expect(printJudge(framingRefused, [refused]).join()).toContain("REQ-007 observed #2");
    }
  });

  it("is not named for a refusal of something else, which is judged", () => {
    const intent = { kind: "violates", requirement: "AUTH-002", condition: "no-credentials", twin: null } as const;
    const keyless = (status: number): Exchange =>
      framed(afterContinue, { seq: 2, status, intent, keyName: null, received: { error: { code: "no_key" } } }, "1.0");
    expect(printJudge(framingRefused, [keyless(401)])).toEqual([]);
    const accepted = framed(afterContinue, { seq: 3 }, "1.0");
    expect(failures([plain, keyless(401), accepted])).not.toContain("AUTH-002");
    expect(failures([plain, keyless(422), accepted])).toContain("AUTH-002");
  });

  it("is accused of another answer of HTTP/1.0 once it has accepted one sent like it", () => {
    const refused = framed(inChunks, { seq: 2, status: 400 }, "1.0");
    const accepted = framed(inChunks, { seq: 3, sent: { ...sent, temperature: 1 } }, "1.0");
    expect(printJudge(framingRefused, [refused, accepted])).toEqual([]);
    expect(failures([plain, refused, accepted])).not.toEqual([]);
  });

  it("is not named for a refusal of the key, the account or the rate, nor for one of a wrong request", () => {
    for (const status of [401, 402, 403, 429]) expect(isFramingRefusal(factsOf(framed(inChunks, { status }, "1.0")))).toBe(false);
    const intent = { kind: "violates", requirement: "CHAT-040", condition: "malformed-json", twin: null } as const;
    for (const status of [400, 500]) expect(isFramingRefusal(factsOf(framed(inChunks, { status, intent }, "1.0")))).toBe(false);
  });

  it("is accused neither of the form of such a refusal nor of its status, whatever the request was, in HTTP/1.0", () => {
    const intent = { kind: "violates", requirement: "AUTH-002", condition: "no-credentials", twin: null } as const;
    for (const status of [400, 501]) {
      const keyless = [2, 3].map((seq) => framed(inChunks, { seq, status, intent, keyName: null, ...page }, "1.0"));
      expect(failures([plain, ...keyless])).toEqual([]);
    }
  });

  it("leaves open by name whether a wrong request was refused for its mistake", () => {
    const intent = { kind: "violates", requirement: "AUTH-002", condition: "no-credentials", twin: null } as const;
    const keyless = (status: number): Exchange => framed(afterContinue, { seq: 2, status, intent, keyName: null });
    const judged = (exchanges: readonly Exchange[]): readonly string[] =>
      printJudge(rejectsAsStated, exchanges).filter((line) => line.startsWith("AUTH-002"));
    expect(judged([plain, keyless(400)]).join()).toMatch(/^AUTH-002 inconclusive #2/);
    expect(judged([plain, keyless(417)]).join()).toMatch(/^AUTH-002 inconclusive #2/);
    expect(judged([plain, keyless(400), framed(afterContinue, { seq: 3, status: 400 })]).join()).toMatch(
      /inconclusive #2.*valid one/,
    );
    expect(judged([plain, keyless(400), framed(afterContinue, { seq: 3 })]).join()).toMatch(/^AUTH-002 fail #2/);
    expect(judged([plain, keyless(401)]).join()).toMatch(/^AUTH-002 pass #2/);
    expect(judged([plain, keyless(200)]).join()).toMatch(/^AUTH-002 fail #2/);
  });

  it("has no excuse for a request that expects nothing", () => {
    expect(failures([plain, framed(inChunks, { seq: 2, status: 417 })])).toContain("REQ-006");
  });
});

const framing = (name: string, value: string): ((exchange: Exchange) => boolean) => {
  return ({ request }) => headerValues(request.headers, name).includes(value);
};
const [inTheirChunks, expecting] = [framing(...inChunks), framing(...afterContinue)];
const isEncoded = ({ request }: Exchange): boolean => request.path.startsWith("/%76%31/");

it.each([
  ["core/body-framing", "transport/chunked-refused", "REQ-006", "-H 'transfer-encoding: chunked'", inTheirChunks],
  ["audio/options", "transport/chunked-forms-empty", "REQ-006", "-H 'transfer-encoding: chunked'", inTheirChunks],
  ["embeddings/options", "transport/body-after-continue-lost", "REQ-007", "-H 'expect: 100-continue'", expecting],
  ["core/other-notations", "auth/other-prefix-open", "AUTH-039", "/%76%31/", isEncoded],
])("a finding of %s under %s is replayed as it was sent, and its line for curl has it too", async (...row) => {
  const [oneCase, mutant, requirement, inCurl, isSentSo] = row;
  await examineReference({
    cases: [oneCase],
    mutants: [mutant],
    afterwards: async ({ manifest, exchanges, findings }, service, sender) => {
      const finding = findings.find(({ requirement: found }) => found === requirement)!;
      expect(finding.curl).toContain(inCurl);
      expect(finding.curl?.includes("--http1.1")).toBe(isSentSo !== isEncoded);
      const context = openJudgeContext(manifest);
      const { signal } = new AbortController();
      const options = { finding, exchanges, sender, judges: allJudges, context, signal };
      const again = await replayFinding(options);
      expect(again.outcome).toBe("still fails");
      expect(again.exchanges.filter(isSentSo)).not.toEqual([]);
      service.switches.set([]);
      expect((await replayFinding(options)).outcome).toBe("fixed");
    },
  });
});

it.each([["core/no-credentials"], ["core/no-credentials", "embeddings/options"]])(
  "a front that answers embeddings without a key with 400 is found, and still is when the finding is replayed: %s %s",
  async (...cases) => {
    const front = await startGateway(({ path, status }) => (path === "/v1/embeddings" && status === 401 ? { status: 400 } : {}));
    await examineReference({
      cases,
      manifest: front.before,
      afterwards: async ({ manifest, exchanges, findings }, _service, sender) => {
        const finding = findings.find(({ check }) => check === "rejects-as-stated")!;
        expect([finding.requirement, ...finding.also]).toContain("AUTH-002");
        const { signal } = new AbortController();
        const context = openJudgeContext(manifest);
        const again = await replayFinding({ finding, exchanges, sender, judges: allJudges, context, signal });
        expect(again.outcome).toBe("still fails");
      },
    });
    await front.close();
  },
);

it("a request with a length keeps it", () => {
  expect(curlLine(plain, "http://h")).not.toContain("transfer-encoding");
});
