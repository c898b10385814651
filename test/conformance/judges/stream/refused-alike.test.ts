import { expect, it } from "vitest";
import { refusedAlike, refusedAlikeLabels } from "../../../../src/conformance/judges/stream/refused-alike.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const error = { error: { code: "model_not_found", message: "No." } };

function answered(seq: number, label: string, status: number | null, stream: boolean = false): Exchange {
  const caseId = "stream/unknown-model";
  return makeExchange({ seq, label, status, stream, caseId, endpoint: "chat", received: error });
}

function verdict(plain: number | null, streamed: number | null, stream: boolean = false): string {
  const pair = [answered(1, refusedAlikeLabels.plain, plain), answered(2, refusedAlikeLabels.streamed, streamed, stream)];
  return printJudge(refusedAlike, pair)
    .map((line) => line.split(" #")[0])
    .join();
}

it("wants the same status and no event where an unknown model is refused", () => {
  expect(verdict(404, 404)).toBe("STRM-017 pass");
  expect(verdict(422, 422)).toBe("STRM-017 pass");
  expect(verdict(404, 200, true)).toBe("STRM-017 fail");
  expect(verdict(404, 200)).toBe("STRM-017 fail");
  expect(verdict(404, 404, true)).toBe("STRM-017 fail");
});

it("advises where another 4xx answers, or where a fallback serves one of both alone", () => {
  expect(verdict(404, 400)).toBe("STRM-017 advisory");
  expect(verdict(200, 404)).toBe("STRM-017 advisory");
});

it("accuses no service that falls back to another model, and nothing in trouble", () => {
  expect(verdict(200, 200, true)).toBe("STRM-017 pass");
  expect(verdict(404, 503)).toBe("STRM-017 inconclusive");
  expect(verdict(null, 404)).toBe("STRM-017 inconclusive");
});

it("compares with the plain request before it, and says nothing without one", () => {
  expect(printJudge(refusedAlike, [answered(2, refusedAlikeLabels.streamed, 404)])).toEqual([]);
});
