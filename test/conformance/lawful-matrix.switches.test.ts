import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import type { Variant } from "../../src/reference/switches/switch.ts";
import { packVariants } from "../make/pack-variants.ts";
import { isWhole, testRandom } from "../make/runner/sample.ts";
import { askedOf, share, shareTitle } from "../make/runner/switch-share.ts";
import { examineReference } from "./examine-reference.ts";
import { clean, examineVariant } from "./matrix.ts";

/** Variants that hold requests back by the clock of the service: while it stands still nobody would ever be served. */
const needsFlowingTime: Readonly<Record<string, readonly SuiteId[]>> = {
  "burst/queue": ["settings"],
  "transport/latency-jitter": ["core", "chat", "stream", "models"],
};

/** Switches that were read wrongly where both were at work: in every sample, in one service. */
const together: ReadonlySet<string> = new Set(["limits/retry-after-date", "headers/clock-behind"]);

/** Of each area: one in so many is asked in `npm test`. */
const oneIn = 12;
const all = allSwitches.filter((one): one is Variant => one.kind === "variant");
const pair = all.filter(({ id }) => together.has(id));
const asked = [
  ...(share === "rest" ? [] : pair),
  ...askedOf(
    "lawful",
    all.filter((one) => !pair.includes(one)),
    oneIn,
  ),
];
const variants = asked.filter(({ id }) => !(id in needsFlowingTime));

/** Services that are asked for everything; ways to count requests, which exclude each other, make more of them. */
const whole = share === "sample" ? 1 : 3;
/** Of the others, which differ in how requests are counted: where its numbers are read. */
const ofCounting: readonly SuiteId[] = ["core", "models", "spend", "limits"];

/** Every variant once: those of every area in a few services, and each other way to count in one of its own. */
function makeServices(): readonly (readonly [readonly Variant[], readonly SuiteId[]])[] {
  const counting = variants.filter(({ area, excludes = [] }) => area === "limits" && excludes.length > 3);
  const random = testRandom("ways to count");
  const drawn = counting.map((variant) => ({ variant, rank: random.next() })).sort((one, other) => one.rank - other.rank);
  const ranked = drawn.map(({ variant }) => variant);
  const rest = variants.filter((variant) => !counting.includes(variant));
  const begun = ranked
    .slice(0, whole)
    .map((variant, index) => (index === 0 ? [variant, ...rest.filter(({ id }) => together.has(id))] : [variant]));
  return [
    ...packVariants(rest, begun).map((service) => [service, []] as const),
    ...ranked.slice(whole).map((variant) => [[variant], ofCounting] as const),
  ];
}

describe(`lawful variants of the reference service (${shareTitle})`, () => {
  const services = makeServices();
  it("are each in one service", () => {
    const placed = services.flatMap(([service]) => service.map(({ id }) => id));
    expect(placed.toSorted()).toEqual(variants.map(({ id }) => id).toSorted());
  });

  it.each(services.map(([service, suites]) => [service.map(({ id }) => id).join(", "), service, suites] as const))(
    "a service with %s is not accused",
    async (_, service, suites) => {
      expect(await examineVariant(service, suites)).toEqual(clean);
    },
  );

  // Alone, none can excuse what another one does: in `npm run test:all`.
  it.each((isWhole ? variants : []).map((variant) => [variant.id, variant] as const))(
    "%s alone is not accused",
    async (_, variant) => {
      expect(await examineVariant([variant])).toEqual(clean);
    },
  );

  it.each(asked.filter(({ id }) => id in needsFlowingTime).map(({ id }) => [id] as const))(
    "%s is not accused where time flows",
    async (id) => {
      const { findings, verdicts } = await examineReference({ suites: needsFlowingTime[id]!, variants: [id], flowing: true });
      expect(findings.map((one) => `${one.requirement} ${one.message}`)).toEqual([]);
      expect([...verdicts].filter(([, verdict]) => verdict === "fail")).toEqual([]);
      expect([...verdicts].filter(([, verdict]) => verdict === "pass")).not.toEqual([]);
    },
  );
});
