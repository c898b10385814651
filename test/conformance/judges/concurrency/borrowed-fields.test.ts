import { describe, expect, it } from "vitest";
import { borrowedFields } from "../../../../src/conformance/judges/concurrency/borrowed-fields.ts";
import { makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

type Answer = readonly [key: "primary" | "secondary", remaining: number, resetSeconds: number];

/** One answer a second on one operation. */
function verdicts(...answers: readonly Answer[]): readonly string[] {
  const exchanges = answers.map(([keyName, remaining, resetSeconds], seq) =>
    makeExchange({
      seq,
      caseId: "core/two-keys-in-turn",
      label: `answer-${seq}`,
      endpoint: "models",
      keyName,
      sentMs: seq * 1000,
      endMs: seq * 1000 + 5,
      headers: [
        ["x-ratelimit-limit-requests", "60"],
        ["x-ratelimit-remaining-requests", String(remaining)],
        ["x-ratelimit-reset-requests", String(Math.floor(wallMs / 1000) + resetSeconds)],
      ],
    }),
  );
  return printJudge(borrowedFields, exchanges).map((line) => line.split(":")[0] ?? "");
}

describe("borrowed-fields", () => {
  it("passes where each key counts by itself", () => {
    const own = verdicts(
      ["primary", 50, 60],
      ["secondary", 58, 70],
      ["secondary", 57, 70],
      ["primary", 49, 60],
      ["primary", 48, 60],
    );
    expect(own).toEqual(["RATE-046 pass #3 #2 #0 #4"]);
  });

  it("fails where a key is answered the fields of another one, in a window of its own or in the same one", () => {
    for (const reset of [70, 60]) {
      const borrowed = verdicts(
        ["primary", 50, 60],
        ["secondary", 58, reset],
        ["secondary", 57, reset],
        ["primary", 57, reset],
        ["primary", 48, 60],
      );
      expect(borrowed).toEqual(["RATE-046 fail #3 #2 #0 #4"]);
    }
  });

  it("says nothing where both keys share a window, where instances count apart, and where a window ends meanwhile", () => {
    const shared = verdicts(
      ["primary", 50, 60],
      ["secondary", 49, 60],
      ["secondary", 48, 60],
      ["primary", 48, 60],
      ["primary", 47, 60],
    );
    expect(shared.filter((line) => line.includes("fail"))).toEqual([]);
    // The first answer of another instance is the same for every key.
    const apart = verdicts(["primary", 50, 60], ["secondary", 59, 60], ["primary", 59, 60], ["primary", 49, 60]);
    expect(apart).toEqual([]);
    const ended = verdicts(
      ["primary", 50, 60],
      ["secondary", 58, 70],
      ["secondary", 57, 70],
      ["primary", 57, 70],
      ["primary", 58, 130],
    );
    expect(ended).toEqual([]);
  });
});
