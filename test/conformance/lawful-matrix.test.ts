import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import type { Variant } from "../../src/reference/defects/switch.ts";
import { isWhole, testRandom } from "../make/sample.ts";
import { examineReference } from "./examine-reference.ts";
import { clean, examineVariant } from "./matrix.ts";

/** Variants that hold requests back by the clock of the service: while it stands still nobody would ever be served. */
const needsFlowingTime: ReadonlySet<string> = new Set(["burst/queue", "transport/latency-jitter"]);

const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && !needsFlowingTime.has(one.id));

/** Pairs that contradict each other are no service that could exist. */
function excludeEachOther(one: Variant, other: Variant): boolean {
  return one.id === other.id || (one.excludes ?? []).includes(other.id) || (other.excludes ?? []).includes(one.id);
}

/** What has been read wrongly where both were at work: they are placed first, into one service. */
const together: ReadonlySet<string> = new Set(["limits/retry-after-date", "headers/clock-behind"]);

/** Every variant once, in as few services as can exist, of much the same size: what excludes most others is placed first. */
function makeServices(): readonly (readonly Variant[])[] {
  const services: Variant[][] = [variants.filter(({ id }) => together.has(id))];
  const random = testRandom("lawful services");
  const ordered = variants
    .filter(({ id }) => !together.has(id))
    .map((variant) => ({
      variant,
      clashes: variants.filter((one) => excludeEachOther(one, variant)).length,
      rank: random.next(),
    }))
    .sort((one, other) => other.clashes - one.clashes || one.rank - other.rank);
  for (const { variant } of ordered) {
    const [place] = services
      .filter((service) => !service.some((one) => excludeEachOther(one, variant)))
      .sort((one, other) => one.length - other.length);
    if (place === undefined) services.push([variant]);
    else place.push(variant);
  }
  return services;
}

describe("lawful variants of the reference service", () => {
  it("are many", () => {
    expect(variants.length).toBeGreaterThanOrEqual(25);
    expect(variants.filter(({ id }) => together.has(id))).toHaveLength(together.size);
  });

  it.each(makeServices().map((service) => [service.map(({ id }) => id).join(", "), service] as const))(
    "a service with %s is not accused",
    async (_, service) => {
      expect(await examineVariant(service)).toEqual(clean);
    },
  );

  // Alone, none can excuse what another one does: in `npm run test:all`.
  it.each((isWhole ? variants : []).map((variant) => [variant.id, variant] as const))(
    "%s alone is not accused",
    async (_, variant) => {
      expect(await examineVariant([variant])).toEqual(clean);
    },
  );

  it("burst/queue is not accused where time flows", async () => {
    const { findings, verdicts } = await examineReference({ suites: ["settings"], variants: ["burst/queue"], flowing: true });
    expect(findings.map((one) => `${one.requirement} ${one.message}`)).toEqual([]);
    expect(["KEY-012", "KEY-001"].map((id) => verdicts.get(id))).not.toContain("fail");
  });

  it("transport/latency-jitter is not accused where time flows", async () => {
    const { findings, verdicts } = await examineReference({
      suites: ["core", "chat", "stream", "models"],
      variants: ["transport/latency-jitter"],
      flowing: true,
    });
    expect(findings.map((one) => `${one.requirement} ${one.message}`)).toEqual([]);
    expect([...verdicts].filter(([, verdict]) => verdict === "fail")).toEqual([]);
  });
});
