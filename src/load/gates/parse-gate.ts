import { specifiedEndpoints } from "../../core/exchange/endpoint.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import { shortValue, shortWords } from "../../core/short-value.ts";
import { observationIds } from "../profile/observation-ids.ts";
import { counts, distributions, fractions, limitCounts, rates } from "./gate-figures.ts";
import { parseWhere } from "./parse-where.ts";
import type { Gate, GateFigure, GateOperator, GateUnit } from "../profile/gate.ts";

const metrics: ReadonlyMap<string, LoadMetric> = new Map(distributions.map(([name, metric]) => [name, metric]));
const endpointNames = specifiedEndpoints.filter((name) => name !== "account-settings");

const form = "write [endpoint.]figure operator bound, for example `chat.ttft.p95 < 800ms`, `error_rate < 1%` or `goodput > 0.95`";

/** Reads a gate. Throws SyntaxError that names the part at fault and shows the form. */
export function parseGate(expression: string): Gate {
  const fail = (what: string): never => {
    throw new SyntaxError(`gate ${shortValue(expression)}: ${shortWords(what)}; ${form}`);
  };
  const parts = splitGate(expression);
  if (parts === null) return fail("there is no figure, comparison and bound in it");
  const { id, operator, bound, where } = parts;
  if (operator === "=") return fail('use "==" for equality');
  const { endpoint, figure, unit } = readSide(id, fail);
  if (where !== null && wholeKinds.has(figure.kind)) return fail(`${id} belongs to the whole profile: it takes no where`);
  const conditions = where === null ? {} : { where: parseWhere(where, fail) };
  const gate = {
    id: where === null ? id : `${id}[${shortened(where)}]`,
    expression: expression.trim(),
    endpoint,
    figure,
    operator,
    unit,
    ...conditions,
  };
  const value = readBound(bound, unit, fail);
  const problem = undecidableBound(figure, gate.operator, value);
  return problem === null ? { ...gate, bound: value } : fail(problem);
}

const operators = ["<=", ">=", "==", "!=", "<", ">", "="] as const;
const gateForm = new RegExp(`^\\s*([A-Za-z][\\w.-]*)\\s*(${operators.join("|")})\\s*(\\S.*?)\\s*$`);

export interface GateParts {
  readonly id: string;
  readonly operator: GateOperator | "=";
  readonly bound: string;
  /** The text after `where`; null: there is none. */
  readonly where: string | null;
}

/** The parts of a gate as they are written, whatever they mean; null where one is missing. */
export function splitGate(expression: string): GateParts | null {
  const at = expression.search(/\swhere\s/);
  const [, id = "", written, bound = ""] = gateForm.exec(at === -1 ? expression : expression.slice(0, at)) ?? [];
  const operator = operators.find((known) => known === written);
  return operator === undefined ? null : { id, operator, bound, where: at === -1 ? null : expression.slice(at + 7).trim() };
}

/** Figures that no part of the requests has. */
const wholeKinds: ReadonlySet<GateFigure["kind"]> = new Set<GateFigure["kind"]>(["observation", "limits", "capacity"]);

/** `prompt<6000 and label=="chat stream"` */
function shortened(where: string): string {
  return where.replaceAll(/\s*(==|!=|<=|>=|<|>)\s*/g, "$1").replaceAll(/\s+/g, " ");
}

/** The figure of a gate alone, `chat.ttft.p95`, also where its id holds conditions after it. Throws SyntaxError that says what is not known. */
export function parseFigure(path: string): Pick<Gate, "endpoint" | "figure" | "unit"> {
  return readSide(path.replace(/\[.*\]$/, ""), (what) => {
    throw new SyntaxError(what);
  });
}

function readSide(path: string, fail: (what: string) => never): Pick<Gate, "endpoint" | "figure" | "unit"> {
  const words = path.split(".");
  const endpoint = endpointNames.find((name) => name === words[0]) ?? null;
  const figure = readFigure(endpoint === null ? words : words.slice(1), fail);
  if (endpoint !== null && wholeKinds.has(figure.kind)) {
    return fail(`${words.slice(1).join(".")} belongs to the whole profile, not to an endpoint`);
  }
  return { endpoint, figure, unit: unitOf(figure) };
}

function readFigure(words: readonly string[], fail: (what: string) => never): GateFigure {
  const [name = "", statistic] = words;
  if (words.length > 2 && !/^p\d+$/.test(statistic ?? "")) return fail(`"${words.join(".")}" has too many parts`);
  const metric = metrics.get(name);
  if (metric !== undefined) return readStatistic(metric, name, words.slice(1).join("."), fail);
  if (name === "observations") {
    const known = observationIds.find((id) => id === statistic);
    return known === undefined ? fail(`observations knows ${observationIds.join(", ")}`) : { kind: "observation", id: known };
  }
  if (name === "limits") {
    const known = Object.keys(limitCounts).join(" and ");
    return isNameIn(limitCounts, statistic) ? { kind: "limits", name: statistic } : fail(`limits knows ${known}`);
  }
  if (statistic !== undefined) return fail(unknownFigure(name));
  if (name === "capacity") return { kind: "capacity" };
  if (isNameIn(fractions, name)) return { kind: "fraction", name };
  if (isNameIn(rates, name)) return { kind: "rate", name };
  return isNameIn(counts, name) ? { kind: "count", name } : fail(unknownFigure(name));
}

function isNameIn<Name extends string>(names: Readonly<Record<Name, unknown>>, name: string | undefined): name is Name {
  return name !== undefined && Object.hasOwn(names, name);
}

function readStatistic(metric: LoadMetric, name: string, statistic: string, fail: (what: string) => never): GateFigure {
  if (statistic === "mean" || statistic === "min" || statistic === "max") return { kind: "moment", metric, which: statistic };
  const percentile = /^p(\d{1,2}(?:\.\d+)?)$/.exec(statistic)?.[1];
  if (percentile === undefined || Number(percentile) <= 0) {
    return fail(`${name} needs a statistic: ${name}.p50, ${name}.p99, ${name}.p99.9, ${name}.mean, ${name}.min or ${name}.max`);
  }
  return { kind: "percentile", metric, percentile: Number(percentile) };
}

function unknownFigure(name: string): string {
  const counted = [fractions, rates, counts].flatMap((names) => Object.keys(names));
  const known = [...metrics.keys(), ...counted, "capacity", "observations", "limits"];
  return `"${name}" is no figure; known are ${known.join(", ")}`;
}

function unitOf(figure: GateFigure): GateUnit {
  switch (figure.kind) {
    case "percentile":
    case "moment":
      return figure.metric === "tokens-per-second" ? "tokens/s" : "ms";
    case "fraction":
      return "fraction";
    case "rate":
      return "/s";
    case "count":
    case "capacity":
    case "observation":
    case "limits":
      return "count";
    default:
      return figure satisfies never;
  }
}

function readBound(text: string, unit: GateUnit, fail: (what: string) => never): number {
  const match = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zA-Z%/]*)$/.exec(text);
  const value = Number(match?.[1]);
  const suffix = match?.[2] ?? "";
  if (match === null || !Number.isFinite(value)) return fail(`"${text}" is no number with an optional unit`);
  // Whether 1 means one in a hundred or all of them is anybody's guess; fractions below 1 and 0 are not.
  if (unit === "fraction" && suffix === "" && value >= 1) {
    return fail(
      `${match[1]} may mean ${match[1]} % or ${100 * value} %: write ${match[1]}% (or a fraction below 1, such as 0.95)`,
    );
  }
  const factor = isNameIn(unitFactors[unit], suffix) ? unitFactors[unit][suffix] : undefined;
  if (factor !== undefined) return value * factor;
  const allowed = Object.keys(unitFactors[unit]).filter(Boolean);
  return fail(
    suffix === ""
      ? `the bound needs a unit (${allowed.join(", ")})`
      : `"${suffix}" does not fit here${allowed.length > 0 ? `, use ${allowed.join(", ")}` : ", the bound is a plain number"}`,
  );
}

/** Suffixes of a bound and their factors; an empty one where a number needs no unit to be clear. */
const unitFactors: Readonly<Record<GateUnit, Readonly<Record<string, number>>>> = {
  ms: { us: 0.001, ms: 1, s: 1000, min: 60_000 },
  "tokens/s": { "": 1, "tokens/s": 1, "/s": 1 },
  "/s": { "": 1, "/s": 1 },
  fraction: { "": 1, "%": 0.01 },
  count: { "": 1 },
};

/**
 * Why a gate could only ever pass, or only ever fail, whatever was measured; null when it can do both. `bound` is in the unit of
 * the figure, fractions from 0 to 1.
 */
function undecidableBound(figure: GateFigure, operator: GateOperator, bound: number): string | null {
  const isShare = figure.kind === "fraction";
  const most = isShare ? 1 : Infinity;
  const range = isShare ? "lies between 0 % and 100 %" : "is never below 0";
  const never = `it can never be met: the figure ${range}`;
  const always = `it can never be missed: the figure ${range}`;
  if (operator === "==" || operator === "!=") {
    if (bound > most) return operator === "==" ? never : always;
    if (figure.kind === "fraction" && (operator === "!=" || (bound !== 0 && bound !== 1)))
      return "equality with a measured share proves nothing: use < or >, or `== 0` or `== 100%`";
    if (figure.kind === "percentile" || figure.kind === "moment" || figure.kind === "rate" || figure.kind === "capacity")
      return "equality with a measured figure proves nothing: use < or >";
    return Number.isInteger(bound) || isShare
      ? null
      : operator === "=="
        ? wholeNumbers("never be met")
        : wholeNumbers("never be missed");
  }
  switch (operator) {
    case "<":
      return bound <= 0 ? never : bound > most ? always : null;
    case "<=":
      return bound >= most ? always : bound === 0 && isTime(figure) ? never : null;
    case ">":
      return bound >= most ? never : null;
    case ">=":
      return bound <= 0 ? always : bound > most ? never : null;
    default:
      return operator satisfies never;
  }
}

function wholeNumbers(what: string): string {
  return `it can ${what}: the figure is a whole number`;
}

function isTime(figure: GateFigure): boolean {
  return figure.kind === "percentile" || figure.kind === "moment";
}
