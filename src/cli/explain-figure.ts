import { closestWord } from "../core/closest-word.ts";
import { gateFigures, type GateFigureEntry } from "../load/gates/gate-figures.ts";
import { parseFigure } from "../load/gates/parse-gate.ts";

const bounds: Readonly<Record<GateFigureEntry["unit"], string>> = {
  time: "800ms",
  "tokens a second": "20",
  "a second": "5",
  fraction: "1%",
  count: "0",
};

/**
 * What is known of a figure of gates, as gates and reports write it: `chat.ttft.p95`, `ttft`, `error_rate`, `buffered`, or a whole
 * gate. null where it is none.
 */
export function explainFigure(text: string): readonly string[] | null {
  const [asked = ""] = text.split(/[<>=!]/);
  const path = asked.trim();
  const entry = gateFigures.find(({ name }) => [path, `observations.${path}`].includes(name)) ?? findEntry(path);
  if (entry === null) return null;
  const { name, statistics, unit, meaning } = entry;
  const shown = name === path || name === `observations.${path}` ? (statistics ? `${name}.p95` : name) : path;
  const operator = ["goodput", "tokens_per_second"].includes(name) || unit === "a second" ? ">" : unit === "count" ? "==" : "<";
  return [
    `${path}  figure of load, ${unit}`,
    meaning,
    "",
    ...(statistics ? [`statistics: p1 to p99.99, mean, min, max; ${name}.p95 is what 95 % of the answers stay below`] : []),
    `as a gate: ${shown} ${operator} ${bounds[unit]}`,
  ];
}

/** Of a path with an endpoint before it or a statistic after it. */
function findEntry(path: string): GateFigureEntry | null {
  try {
    parseFigure(path);
  } catch {
    return null;
  }
  return gateFigures.find(({ name }) => `.${path}.`.includes(`.${name}.`)) ?? null;
}

export function similarFigures(text: string): readonly string[] {
  const [name = ""] = text.split(".");
  const nearest = closestWord(
    name,
    gateFigures.map((figure) => figure.name),
  );
  return nearest === null ? [] : [nearest];
}
