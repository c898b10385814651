import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import type { Variant } from "../../src/reference/defects/switch.ts";
import { examineReference } from "./examine-reference.ts";
import { clean, examineVariant } from "./matrix.ts";

/** Variants that hold requests back until a cooldown is over: with a clock that stands still nobody would ever be served. */
const needsFlowingTime: ReadonlySet<string> = new Set(["burst/queue"]);

const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && !needsFlowingTime.has(one.id));

/** Pairs that contradict each other are no service that could exist. */
function excludeEachOther(one: Variant, other: Variant): boolean {
  return one.id === other.id || (one.excludes ?? []).includes(other.id) || (other.excludes ?? []).includes(one.id);
}

function drawPairs(count: number): readonly (readonly [Variant, Variant])[] {
  const random = createRandom(20_261_121);
  const pairs: (readonly [Variant, Variant])[] = [];
  while (pairs.length < count) {
    const one = variants[random.integer(0, variants.length - 1)];
    const other = variants[random.integer(0, variants.length - 1)];
    if (one !== undefined && other !== undefined && !excludeEachOther(one, other)) pairs.push([one, other]);
  }
  return pairs;
}

describe("lawful variants of the reference service", () => {
  it("are many", () => {
    expect(variants.length).toBeGreaterThanOrEqual(25);
  });

  it.each(variants.map((variant) => [variant.id, variant] as const))("%s is not accused", async (_, variant) => {
    expect(await examineVariant([variant])).toEqual(clean);
  });

  it("burst/queue is not accused where time flows", async () => {
    const { findings, verdicts } = await examineReference({ suites: ["settings"], variants: ["burst/queue"], flowing: true });
    expect(findings.map((one) => `${one.requirement} ${one.message}`)).toEqual([]);
    expect(["KEY-012", "KEY-001"].map((id) => verdicts.get(id))).not.toContain("fail");
  });

  it.each(drawPairs(12).map((pair) => [pair.map(({ id }) => id).join(" with "), pair] as const))(
    "%s is not accused",
    async (_, pair) => {
      expect(await examineVariant(pair)).toEqual(clean);
    },
  );
});
