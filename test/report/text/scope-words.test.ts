import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ScopeResult } from "../../../src/core/result/scope-result.ts";
import type { Supply } from "../../../src/core/result/supply.ts";
import { scopeCounts, scopeLines, type ViolatedRows } from "../../../src/report/text/scope-words.ts";
import { supplyYaml } from "../../../src/run/scope/describe-scope.ts";

const none: ScopeResult = {
  judged: 3,
  inScope: 3,
  outside: 0,
  notApplicable: 0,
  notSelected: 0,
  open: [],
  missing: [],
  waived: [],
  unmet: [],
  lost: [],
  yaml: null,
};

describe("what a summary says of the scope", () => {
  it.each([1, 20])("lists the whole YAML, so that it can be pasted: %i keys", (count) => {
    const supplies: readonly Supply[] = [
      ...Array.from({ length: count }, (_, index) => ({ kind: "key", name: `k${index}` }) as const),
      { kind: "permission", name: "fetchImages" },
      { kind: "restore", key: "k1" },
      { kind: "foreign-key-id" },
    ];
    const missing = supplies.map(({ kind }) => ({ member: kind, what: "", requirements: ["SVC-001"] }));
    const lines = scopeLines({ ...none, outside: 1, missing, yaml: supplyYaml(supplies) });
    const pasted = lines.filter(({ text, dim }) => dim && text.startsWith("    ")).map(({ text }) => text.slice(4));
    const manifest = parse(pasted.join("\n")) as Record<string, unknown>;
    expect(Object.keys(manifest["keys"] as object).length).toBe(count);
    for (const value of Object.values(manifest)) expect(value).not.toBeNull();
  });

  it("groups inconclusive rows by reason, most first", () => {
    const open = [{ id: "A-1", reason: "one" }, ...["B-1", "B-2", "B-3", "B-4", "B-5"].map((id) => ({ id, reason: "other" }))];
    const texts = scopeLines({ ...none, inScope: 9, open }).map(({ text }) => text);
    expect(texts).toEqual(["INCONCLUSIVE  6 requirements in scope:", "  B-1, B-2, B-3, B-4, B-5: other", "  A-1: one", ""]);
  });

  it("says why the list is shorter than the count of inconclusive rows", () => {
    const texts = scopeLines({ ...none, judged: 5, inScope: 9, open: [{ id: "A-1", reason: "one" }] }).map(({ text }) => text);
    expect(texts.slice(0, -1)).toEqual([
      "INCONCLUSIVE  1 requirement in scope:",
      "  A-1: one",
      "  and 3 of a level that does not change the exit code (should, may)",
    ]);
  });

  it("accounts for every requirement in scope", () => {
    const violated = (inScope: number, inPassing = 0): ViolatedRows => ({ inScope, inPassing });
    expect(scopeCounts({ ...none, judged: 5, inScope: 9, outside: 2 }, violated(1))).toBe(
      "5 of 9 requirements in scope judged, 1 violated, 4 inconclusive (of a level that fails no run); 2 untested",
    );
    expect(scopeCounts({ ...none, judged: 8, inScope: 8, outside: 2 }, violated(1, 9))).toBe(
      "8 of 8 requirements in scope judged, 1 violated; 9 more violated, seen in passing, 2 untested",
    );
    const open = [{ id: "A-1", reason: "one" }];
    expect(scopeCounts({ ...none, judged: 5, inScope: 9, open }, violated(1))).toContain(
      "4 inconclusive (3 of them of a level that fails no run)",
    );
    expect(scopeCounts({ ...none, judged: 2, open }, violated(0))).toBe(
      "2 of 3 requirements in scope judged, 0 violated, 1 inconclusive",
    );
  });
});
