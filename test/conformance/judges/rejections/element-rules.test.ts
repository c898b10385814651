import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { elementLabels, elementRules, type ElementPlace } from "../../../../src/conformance/judges/rejections/element-rules.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { elementLists } from "../../../../suites/element-rules.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { examineReference } from "../../examine-reference.ts";
import { printJudge } from "../print-occurrences.ts";

const cases = ["chat/element-rules", "embeddings/element-rules"];

/** One case: its twin, and the answers to one rule by place. */
function record(statuses: Readonly<Partial<Record<ElementPlace, number>>>, twin = 200, longTwin = 200): readonly Exchange[] {
  const labels: readonly (readonly [string, number])[] = [
    [elementLabels.twin("input"), twin],
    ...Object.entries(statuses)
      .filter(([place]) => place !== "late")
      .map(
        ([place, status]) =>
          [elementLabels.probe.label({ list: "input", rule: "null", place: place as ElementPlace }), status] as const,
      ),
    [elementLabels.longTwin("input"), longTwin],
    ...(statuses.late === undefined
      ? []
      : [[elementLabels.probe.label({ list: "input", rule: "null", place: "late" }), statuses.late] as const]),
  ];
  return labels.map(([label, status], index) =>
    makeExchange({ seq: index + 1, caseId: "embeddings/element-rules", endpoint: "embeddings", label, status }),
  );
}

const outcomes = (...exchanges: Parameters<typeof record>): readonly string[] => printJudge(elementRules, record(...exchanges));

describe("rules on elements of lists (ERR-039)", () => {
  it("are held against themselves", () => {
    expect(outcomes({ first: 422, middle: 422, last: 422 })).toEqual(["ERR-039 pass #2"]);
    expect(outcomes({ first: 422, middle: 200, last: 422 })).toEqual([
      "ERR-039 fail #3 #2: a rule on the elements of input does not hold wherever the element stands [expected the same answer wherever the element stands] [observed null: 422 in the first place, 200 in the middle]",
    ]);
    expect(outcomes({ first: 200, middle: 200, last: 422 })[0]).toContain("422 in the last place, 200 in the first place");
    expect(outcomes({ first: 422, late: 200 })[0]).toContain("200 at the end of a long list");
  });

  it("are none where a service takes everything, and judged where their list is accepted alone", () => {
    expect(outcomes({ first: 200, middle: 200, last: 200 })).toEqual([]);
    expect(outcomes({ first: 422, middle: 200 }, 422)).toEqual([]);
    expect(outcomes({ first: 422, middle: 422, late: 200 }, 200, 413)).toEqual(["ERR-039 pass #2"]);
    expect(outcomes({ first: 422, middle: 429 })).toEqual([]);
  });

  it("are judged anew when the case is repeated", () => {
    const again = record({ first: 422, middle: 422, last: 422 }).map((one) => ({ ...one, seq: one.seq + 100, attempt: 2 }));
    const lines = printJudge(elementRules, [...record({ first: 422, middle: 200 }), ...again]);
    expect(lines.map((line) => line.split(":")[0])).toEqual(["ERR-039 fail #3 #2", "ERR-039 pass #102"]);
  });

  it("are asked of every list that a request schema has", () => {
    const lists = ["chat", "embeddings", "images", "key-settings", "account-settings"].flatMap((name) => {
      const text = readFileSync(new URL(`../../../../schemas/wire/${name}.request.json`, import.meta.url), "utf8");
      const { properties } = JSON.parse(text) as { readonly properties: Readonly<Record<string, { readonly items?: unknown }>> };
      return Object.entries(properties).flatMap(([member, { items }]) => (items === undefined ? [] : [`${name} ${member}`]));
    });
    expect(elementLists.map(({ endpoint, list }) => `${endpoint} ${list}`)).toEqual(lists);
  });

  it.each([[], ["embeddings/entries-as-text"], ["chat/small-context"], ["chat/unknown-model-served"]])(
    "hold on the reference service with %s",
    async (...variants) => {
      const { verdicts } = await examineReference({ cases, variants });
      expect(verdicts.get("ERR-039")).toBe("pass");
    },
  );

  it.each([
    "chat/messages/first",
    "chat/messages/first-dozens",
    "chat/tools/last",
    "embeddings/input/ends",
    "embeddings/input/first-dozens",
  ])("fail where elements go unchecked: %s", async (name) => {
    const { verdicts } = await examineReference({ cases, mutants: [`op/element/${name}`] });
    expect(verdicts.get("ERR-039")).toBe("fail");
  });
});
