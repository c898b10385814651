import { expect, it } from "vitest";
import { rebuildRequest } from "../../../src/conformance/send/rebuild-request.ts";
import { curlLine } from "../../../src/conformance/verdict/curl-line.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { headerValues } from "../../../src/core/exchange/headers/header-list.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { examineReference } from "../examine-reference.ts";

const codingsOf = ({ request }: Exchange): readonly string[] => headerValues(request.headers, "accept-encoding");

it("are asked for in a part of the cases, all requests of one alike, and never for streams", async () => {
  const { exchanges } = await examineReference({
    variants: ["transport/gzip"],
    suites: ["chat", "models", "embeddings", "stream"],
  });
  const own = exchanges.filter(({ stage, endpoint }) => stage === "conformance" && endpoint !== null);
  const packed = own.filter((one) => codingsOf(one)[0] !== "identity");
  expect(packed.length).toBeGreaterThan(own.length / 6);
  expect(packed.length).toBeLessThan(own.length / 2);
  expect(packed.filter((one) => factsOf(one).asksForStream)).toEqual([]);
  const cases = new Set(packed.map(({ caseId }) => caseId));
  const plain = own.filter((one) => cases.has(one.caseId) && codingsOf(one)[0] === "identity");
  expect(plain.filter((one) => !factsOf(one).asksForStream && one.endpoint !== "chat")).toEqual([]);
  expect(packed.some(({ response }) => headerValues(response?.headers ?? [], "content-encoding")[0] === "gzip")).toBe(true);
});

it("are not asked for where the manifest names the codings", async () => {
  const { exchanges } = await examineReference({
    suites: ["models", "embeddings"],
    manifest: (given) => ({ ...given, target: { ...given.target, headers: { "Accept-Encoding": "identity;q=1" } } }),
  });
  const own = exchanges.filter(({ stage, endpoint }) => stage === "conformance" && endpoint !== null);
  expect(new Set(own.flatMap(codingsOf))).toEqual(new Set(["identity;q=1"]));
});

it("are asked for again when the request is repeated, by assay and by curl", () => {
  const asked = (coding: string): Exchange => {
    const made = makeExchange({ endpoint: "models" });
    return { ...made, request: { ...made.request, headers: [["accept-encoding", coding]] } };
  };
  const again = (coding: string): unknown => rebuildRequest(asked(coding), AbortSignal.timeout(1000))?.headers;
  expect(again("gzip, deflate, br")).toEqual({ "accept-encoding": "gzip, deflate, br" });
  expect(again("identity")).toEqual({});
  expect(curlLine(asked("gzip, deflate, br"), "http://127.0.0.1")).toContain(" --compressed ");
  expect(curlLine(asked("identity"), "http://127.0.0.1")).not.toContain("compressed");
});
