import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Result } from "../../src/core/result/result.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const { result, evidence } = small();

/** The sample with few of everything, so that thousands of variants can be rendered. */
function small(): { result: Result; evidence: readonly Exchange[] } {
  const sample = buildSample();
  const { limits, load, conformance } = sample.result;
  if (limits === null || load === null || conformance === null) throw new Error("the sample lacks a stage");
  return {
    evidence: sample.evidence.slice(0, 4),
    result: {
      ...sample.result,
      conformance: { ...conformance, requirements: conformance.requirements.slice(0, 6), suites: conformance.suites.slice(0, 2) },
      limits: {
        ...limits,
        policies: limits.policies.map((policy) => ({
          ...policy,
          timeline: {
            ...policy.timeline,
            ops: policy.timeline.ops.slice(0, 8),
            feasible: policy.timeline.feasible.slice(0, 8),
            retryAfter: policy.timeline.retryAfter.slice(0, 2),
          },
        })),
      },
      load: {
        ...load,
        profiles: load.profiles.map((profile) => ({
          ...profile,
          series: profile.series.slice(0, 3),
          streams: profile.streams.slice(0, 2).map((stream) => ({ ...stream, eventsMs: stream.eventsMs.slice(0, 3) })),
          heatmap: profile.heatmap === null ? null : { ...profile.heatmap, cells: profile.heatmap.cells.slice(0, 3) },
          distributions: profile.distributions.slice(0, 3),
        })),
      },
    },
  };
}

type Path = readonly (string | number)[];

/** Every place of a value, but only the first element of an array: its siblings are alike. */
function places(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.slice(0, 1).map((item, index) => [index, item])
    : Object.entries(value);
  return [path, ...entries.flatMap(([name, member]) => places(member, [...path, name]))];
}

function replaceAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? replaceAt(item, rest, change) : item));
  const record = value as Record<string, unknown>;
  return { ...record, [name]: replaceAt(record[name], rest, change) };
}

/** Members that the types allow to be null. */
const nullable: ReadonlySet<string> = new Set(
  (
    "plan server clockOffsetMs loopUtilization loopDelayMaxMs conformance limits load reason reading calibration headersMs status " +
    "limit remaining resetMs endpoint windowSeconds cooldownSeconds capCents algorithm identification nearest nextProbe certificate " +
    "promisedMs observedMs admittedMs headerSeconds bodySeconds bodyMs outputTokens goodput goodFraction histogram min mean max value " +
    "low high heatmap serverTruth steadyState knee firstTokenMs ttftP50 ttftP99 dispatchDelayP99 dispatchDelayP99Ms observed margin " +
    "requirement level spec sent curl userLatencyP95 ttftP95 firstTokenDifferenceMs runDelayMs ttftMax dispatchDelayMax p50 p99"
  ).split(" "),
);

/** Places that bear a nullable name elsewhere but may not be null themselves. */
const required: readonly RegExp[] = [
  /^(?:reason|spec)$/,
  /^target\./,
  /requirements\.0\.level$/,
  /(?:notJudged\.0|knee)\.reason$/,
  /windows\.0\.limit$/,
  /feasible\.0\.(?:low|high)$/,
  /retryAfter\.0\.promisedMs$/,
  /findings\.0\.observed$/,
  /(?:steps\.0|knee)\.goodput$/,
  /load\..*(?:loopUtilization|loopDelayMaxMs)$/,
  /\.(?:counts|tolerances|parameters)\./,
];

const names = ["html", "junit", "markdown", "prometheus", "terminal"] as const;

function renderAll(variant: Result): string {
  return names
    .map((name) => {
      const rendered = reporters[name].render(variant, evidence);
      return typeof rendered === "string" ? rendered : rendered.map((file) => file.text).join("");
    })
    .join("");
}

/** Paths whose rendering throws or shows a figure that is none. */
function failing(paths: readonly Path[], change: (old: unknown) => unknown): readonly string[] {
  return paths.flatMap((path) => {
    try {
      const found = /NaN|undefined|-?Infinity/.exec(renderAll(replaceAt(result, path, change) as Result));
      return found === null ? [] : [`${path.join(".")}: ${found[0]}`];
    } catch (error) {
      return [`${path.join(".")}: ${String(error)}`];
    }
  });
}

function valueAt(path: Path): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string | number, unknown>)[name], result);
}

describe("reporters", () => {
  const all = places(result).filter((path) => path.length > 0);

  it(`survive every list being empty (${sampleTitle})`, () => {
    const lists = all.filter((path) => Array.isArray(valueAt(path)) && path.at(-1) !== "clockOffsetMs");
    expect(lists.length).toBeGreaterThan(40);
    expect(failing(sampleOf(lists, 3), () => [])).toEqual([]);
  });

  it(`survive every figure being zero (${sampleTitle})`, () => {
    const figures = all.filter((path) => typeof valueAt(path) === "number");
    expect(figures.length).toBeGreaterThan(100);
    expect(failing(sampleOf(figures, 3), () => 0)).toEqual([]);
  });

  it(`survive every optional member being absent (${sampleTitle})`, () => {
    const optional = all.filter(
      (path) =>
        nullable.has(String(path.at(-1))) && valueAt(path) !== null && !required.some((pattern) => pattern.test(path.join("."))),
    );
    expect(optional.length).toBeGreaterThan(60);
    expect(failing(sampleOf(optional, 3), () => null)).toEqual([]);
  });
});
