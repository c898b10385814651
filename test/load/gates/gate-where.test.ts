import { describe, expect, it } from "vitest";
import { parseFigure, parseGate } from "../../../src/load/gates/parse-gate.ts";
import { matchWhere } from "../../../src/load/gates/match-where.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { gateFindingId } from "../../../src/run/verdict/find-missed-gates.ts";
import { streamWords, type Answer } from "../../make/load/load-target.ts";
import { runAgainst, shortProfile } from "../../make/load/run-against.ts";

/** Long prompts of it wait for a second before their first token; those for the model `bad` fail. */
const answer: Answer = ({ body }, response) => {
  const text = JSON.stringify(body);
  if (text.includes('"model":"bad"')) response.writeHead(500).end("{}");
  else setTimeout(() => streamWords(response, 3, 0, 0), text.length > 1000 ? 1000 : 0);
};

const workload = [
  { endpoint: "chat", label: "short", promptTokens: 20 },
  { endpoint: "chat", label: "long one", promptTokens: 400 },
];

describe("a gate with conditions", () => {
  it("is about the requests that they hold for, and about no others", async () => {
    const gates = [
      "ttft.min > 900ms where prompt < 100",
      "ttft.min > 900ms where prompt >= 100",
      'ttft.min > 900ms where label == "long one"',
      "ttft.min > 900ms where label != short and prompt < 401",
      "ttft.min > 900ms",
      "requests > 0 where prompt > 1000",
    ];
    const result = await runAgainst(answer, { workload, gates, durationSeconds: 2 });
    // However late this machine is, no long prompt was answered before its time, and not every short one so late.
    expect(result.gates.slice(0, 5).map(({ observed }) => (observed ?? 0) > 900)).toEqual([false, true, true, true, false]);
    // On a busy machine a gate may stay open; none is turned.
    const verdicts = result.gates.map(({ verdict }) => verdict);
    for (const [place, turned] of ["pass", "fail", "fail", "fail", "pass", "pass"].entries())
      expect(verdicts[place]).not.toBe(turned);
    expect(result.gates[5]).toMatchObject({
      verdict: "inconclusive",
      reason: "no request was one that this gate is about",
    });
  });

  it("knows the models of the workload, each by the entries that ask for it", async () => {
    const models = [
      { endpoint: "chat", model: "good" },
      { endpoint: "chat", model: "bad" },
    ];
    const gates = [
      "error_rate < 50% where model == good",
      "error_rate < 50% where model == bad",
      "error_rate < 40% where model != bad",
    ];
    const result = await runAgainst(answer, { workload: models, gates, durationSeconds: 3, abort: { errorRate: 1 } });
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["pass", "fail", "pass"]);
  });

  it("says nothing where the length of a prompt is not known of every request", async () => {
    const prompts = [{ endpoint: "chat", prompts: ["hello"], model: "bad" }];
    const gates = ["error_rate < 50% where prompt < 100"];
    const result = await runAgainst(answer, { workload: prompts, gates, abort: { errorRate: 1 } });
    expect(result.gates[0]).toMatchObject({ verdict: "inconclusive" });
    expect(result.gates[0]?.reason).toContain("nobody knows how long their prompts were");
  });

  it("takes the length that was asked for, which does not depend on the answer", () => {
    const gate = parseGate("ttft.p90 < 5s where prompt < 100");
    const record = { label: "a", askedPrompt: 90, promptTokens: 130 };
    expect(matchWhere(gate, record)).toBe(true);
    expect(matchWhere(gate, { ...record, askedPrompt: null })).toBe(false);
    expect(matchWhere(gate, { ...record, askedPrompt: null, promptTokens: null })).toBe(null);
  });

  it("is refused where it names what the workload has not, or could not be judged", () => {
    const read = (gate: string, items: readonly object[] = workload): unknown => shortProfile({ workload: items, gates: [gate] });
    expect(() => read("ttft.p90 < 5s where label == lang")).toThrow(
      'no entry of the workload has the label "lang"; known are "short", "long one"',
    );
    expect(() => read("ttft.p90 < 5s where model == m")).toThrow("none names one");
    expect(() => read("ttft.p90 < 5s where label > short")).toThrow("compared with == or !=");
    expect(() => read("ttft.p90 < 5s where prompt == 4")).toThrow("compared with <, <=, > or >=");
    expect(() => read("ttft.p90 < 5s where prompt < many")).toThrow("is no number of tokens");
    expect(() => read("ttft.p90 < 5s where prompt < 5 or label == short")).toThrow("is no condition");
    expect(() => read("limits.violations == 0 where label == short")).toThrow("belongs to the whole profile");
    const mixed = ["m", "n"].map((model) => ({ endpoint: "chat", label: "one", model }));
    expect(() => read("ttft.p90 < 5s where model == m", mixed)).toThrow("give each a label of its own");
    expect(() =>
      readProfile(
        `id: a\ntitle: A\narrivals: { kind: constant, ratePerSecond: 1 }\nworkload: [{ endpoint: chat }]\ngates:\n  - "ttft.p90 < 1s where label == x"\n`,
        "file",
      ),
    ).toThrow("file:6:");
  });

  it("has an id, and findings, of its own beside those of the same figure", () => {
    const gates = ["ttft.p90 < 5s", "ttft.p90 < 5s where prompt < 9", "ttft.p90 < 1s where prompt<9"].map(parseGate);
    const [all, some, tighter] = gates.map((gate) => gateFindingId({ id: "profile" }, gate));
    expect(gates.map(({ id }) => id)).toEqual(["ttft.p90", "ttft.p90[prompt<9]", "ttft.p90[prompt<9]"]);
    expect(some).not.toBe(all);
    expect(some).toBe(tighter);
    expect(parseFigure("ttft.p90[prompt<9]")).toEqual(parseFigure("ttft.p90"));
  });
});
