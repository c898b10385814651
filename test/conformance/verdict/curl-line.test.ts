import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { curlLine } from "../../../src/conformance/verdict/curl-line.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { examineReference } from "../examine-reference.ts";

/** The arguments that a shell passes to curl. */
function argumentsOf(line: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  const output = execFileSync("/bin/sh", ["-c", script], {
    encoding: "utf8",
    env: { ASSAY_API_KEY: "KEY", ASSAY_KEY_READ_ONLY: "OTHER" },
  });
  return output.split("\0").slice(0, -1);
}

const exchangeWith = (request: Exchange["request"]): Exchange => ({ ...makeExchange({ status: null }), request });

describe("curlLine", () => {
  it("hands every byte of a hostile record to curl and runs none of it", () => {
    const hostile = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .map((text) => `${text}'"\`$(touch /tmp/owned)\\ $HOME; & | \n !`)
      .filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(hostile, hostile, (body, value) => {
        const line = curlLine(
          exchangeWith({
            method: "POST",
            path: `/v1/x?q=${body}`,
            headers: [["x-test", value]],
            body: { bytes: body.length, sha256: "", text: body, truncated: false },
          }),
          "http://127.0.0.1:1/",
        );
        expect(argumentsOf(line ?? "")).toEqual([
          "-sS",
          "-i",
          "-X",
          "POST",
          "-H",
          `x-test: ${value}`,
          "--data-binary",
          body,
          `http://127.0.0.1:1/v1/x?q=${body}`,
        ]);
      }),
      { numRuns: 25 },
    );
  });

  it("names keys by variables of the environment and never shows a distorted one", () => {
    const withKey = (value: string): string | null =>
      curlLine(exchangeWith({ method: "GET", path: "/v1/models", headers: [["authorization", value]], body: null }), "http://h");
    expect(argumentsOf(withKey("Bearer <key:primary>") ?? "")).toContain("authorization: Bearer KEY");
    expect(argumentsOf(withKey("Bearer <key:readOnly>") ?? "")).toContain("authorization: Bearer OTHER");
    expect(withKey("Bearer <key:primary:cut>")).toBeNull();
    expect(withKey("<header:x-gateway-key>")).toContain('"$ASSAY_HEADER_X_GATEWAY_KEY"');
    expect(withKey("<almost-key:primary:base64>")).toBeNull();
  });

  it("keeps a path as it was written", () => {
    const line = (path: string): string =>
      curlLine(exchangeWith({ method: "GET", path, headers: [], body: null }), "http://h") ?? "";
    expect(line("/v1/./models")).toBe("curl -sS -i --path-as-is http://h/v1/./models");
    expect(line("/v1/../v1/models?a=..")).toContain("--path-as-is");
    expect(line("//v1/%6dodels?a=/b.c")).toBe("curl -sS -i 'http://h//v1/%6dodels?a=/b.c'");
  });

  it("rebuilds the fields of a form", async () => {
    const { exchanges } = await examineReference({ cases: ["audio/formats"], suites: ["audio"] });
    const upload = exchanges.find((one) => one.endpoint === "transcriptions");
    const args = argumentsOf(curlLine(upload!, "http://h") ?? "");
    expect(args.filter((arg) => arg.startsWith("file=@") || arg.startsWith("model="))).toHaveLength(2);
    expect(args.some((arg) => /content-type/i.test(arg))).toBe(false);
  });
});
