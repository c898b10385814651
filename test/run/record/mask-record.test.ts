import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { maskRecord } from "../../../src/run/record/mask-record.ts";
import { answered } from "../../make/load/exchange-fixture.ts";

describe("masking a record", () => {
  it("reaches every text of an exchange, also of one whose facts are read", () => {
    const exchange = answered(200, { secret: ["a secret", { secret: "secret" }] }, { "x-secret": "secret" });
    for (const one of [exchange, factsOf(exchange)]) {
      const masked = maskRecord(one, (text) => text.replaceAll("secret", "***"));
      expect(JSON.stringify(masked.response)).not.toMatch(/"[^"]* secret|: ?"secret/);
      expect(masked.response?.body?.text).toBe('{"***":["a ***",{"***":"***"}]}');
      expect(masked.response?.headers).toEqual([["x-***", "***"]]);
      expect(masked.timing).toEqual(exchange.timing);
    }
  });
});
