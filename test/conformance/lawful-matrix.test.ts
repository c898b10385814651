import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import type { Variant } from "../../src/reference/defects/switch.ts";
import { testRandom, sampleOf, sampleTitle } from "../make/sample.ts";
import { examineReference } from "./examine-reference.ts";
import { clean, examineVariant } from "./matrix.ts";

/** Variants that hold requests back by the clock of the service: while it stands still nobody would ever be served. */
const needsFlowingTime: ReadonlySet<string> = new Set(["burst/queue", "transport/latency-jitter"]);

const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && !needsFlowingTime.has(one.id));

/** Pairs that contradict each other are no service that could exist. */
function excludeEachOther(one: Variant, other: Variant): boolean {
  return one.id === other.id || (one.excludes ?? []).includes(other.id) || (other.excludes ?? []).includes(one.id);
}

/** Every variant once, in as few services as can exist, of much the same size: what excludes most others is placed first. */
function makeServices(): readonly (readonly Variant[])[] {
  const services: Variant[][] = [];
  const random = testRandom("lawful services");
  const ordered = variants
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
  });

  it.each(sampleOf(variants, 60).map((variant) => [variant.id, variant] as const))(
    `%s is not accused (${sampleTitle})`,
    async (_, variant) => {
      expect(await examineVariant([variant])).toEqual(clean);
    },
  );

  it.each(makeServices().map((service) => [service.map(({ id }) => id).join(", "), service] as const))(
    "a service with %s is not accused",
    async (_, service) => {
      expect(await examineVariant(service)).toEqual(clean);
    },
  );

  it("a date in Retry-After is not accused where the field Date is 90 s behind", async () => {
    const service = variants.filter(({ id }) => id === "limits/retry-after-date" || id === "headers/clock-behind");
    expect(service).toHaveLength(2);
    expect(await examineVariant(service)).toEqual(clean);
  });

  it("a context that ends before the longest request is not accused, and every rule is judged", async () => {
    const service = variants.filter(({ id }) => id === "chat/small-context");
    expect(service).toHaveLength(1);
    expect(await examineVariant(service)).toEqual(clean);
  });

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
