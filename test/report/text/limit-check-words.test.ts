import { expect, it } from "vitest";
import type { LoadLimitCheck } from "../../../src/core/result/gate-result.ts";
import { limitCheckWords } from "../../../src/report/text/limit-check-words.ts";

const check = (kind: LoadLimitCheck["kind"], verdict: LoadLimitCheck["verdict"]): LoadLimitCheck => ({
  policy: kind,
  kind,
  id: "limits.over-admission",
  title: "title",
  verdict,
  considered: 1,
  needed: 1,
  message: "message",
});

it("counts limit checks by what became of them, those that do not apply, too", () => {
  expect(limitCheckWords([check("requests", "not-applicable")])).toBe("requests: 1 not applicable");
  expect(limitCheckWords([check("requests", "not-applicable"), check("requests", "fail"), check("tokens", "pass")])).toBe(
    "requests: 1 violated, 1 not applicable; tokens: 1 met",
  );
});
