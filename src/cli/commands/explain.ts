import { allCases } from "../../../suites/all-cases.ts";
import { explainRequirement, similarRequirements } from "../../conformance/plan/explain-requirement.ts";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import type { LimitCheckEntry } from "../../core/result/checks/limit-check.ts";
import { findLimitCheck, limitChecks } from "../../core/result/checks/limit-checks.ts";
import { closestWord } from "../../core/closest-word.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { allMutants } from "../../reference/switches/broken/all-mutants.ts";
import { allSwitches } from "../../reference/switches/all-switches.ts";
import type { Switch } from "../../reference/switches/switch.ts";
import { readCatalogue, readReadings } from "../../schemas/read-catalogue.ts";
import { violatedIn } from "../../core/result/finding-id.ts";
import { gateFigures, type GateFigureEntry } from "../../load/gates/gate-figures.ts";
import { parseFigure } from "../../load/gates/parse-gate.ts";
import { builtInProfiles, loadProfile } from "../../load/plan/read-profile.ts";
import { UsageError } from "../../command/usage-error.ts";
import { output } from "../../report/terminal/output.ts";

/** Prints what is known about an id without sending anything. */
export async function explainCommand(id: string): Promise<number> {
  output.print(`${explain(id).join("\n")}\n`);
  return exitCodes.met;
}

function explain(id: string): readonly string[] {
  const catalogue = readCatalogue();
  const readings = readReadings();
  const known = explainRequirement(id, { catalogue, readings, judges: allJudges, cases: allCases });
  if (known !== null) {
    const { requirement, reading } = known;
    const killers = allMutants.filter((one) => one.violates.includes(requirement.id));
    return [
      `${requirement.id}  ${requirement.level}  suite ${requirement.suite}`,
      `specification: ${requirement.section}, line ${requirement.specLines.join(", ")}`,
      "",
      requirement.text,
      `check: ${requirement.check}`,
      ...(requirement.why === null ? [] : [`why ${requirement.level}: ${requirement.why}`]),
      ...(requirement.exclusion === null ? [] : [`not checked from outside: ${requirement.exclusion}`]),
      ...(reading === null ? [] : ["", `${reading.id}: ${reading.question}`, `reading: ${reading.reading}`]),
      "",
      ...judgedBy(requirement.id, known.judges),
      ...known.cases.map(
        (one) => `case: ${one.id} - ${one.title}${one.needs.length > 0 ? ` (needs ${one.needs.join(", ")})` : ""}`,
      ),
      ...killers.map((mutant) => `defect: ${mutant.id} - ${mutant.title}`),
    ];
  }
  const reading = readings.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (reading !== undefined) return [reading.id, reading.question, `reading: ${reading.reading}`];
  const check = findLimitCheck(id);
  if (check !== undefined) return explainCheck(check);
  const change = allSwitches.find((one) => one.id === id);
  if (change !== undefined) return explainSwitch(change);
  const one = allCases.find((candidate) => candidate.id === id);
  if (one !== undefined) return [`${one.id}  suite ${one.suite}`, one.title, `judged for: ${one.covers.join(", ")}`];
  if (builtInProfiles().includes(id)) return explainProfile(id);
  const figure = explainFigure(id);
  if (figure !== null) return figure;
  // The id of a finding begins with what is violated.
  const violated = violatedIn(id);
  if (violated !== null)
    return [`${id}  a finding about ${violated}; the run that has it shows it: assay report`, "", ...explain(violated)];
  const near = [...similarRequirements(id, catalogue), ...similarChecks(id), ...similarFigures(id)];
  throw new UsageError(
    `unknown id: ${id}`,
    near.length > 0 ? `there are ${near.join(", ")} ...` : "assay list shows what there is",
  );
}

/** Rows of limits are judged by checks over the history of a key; those have no judge of single answers. */
function judgedBy(id: string, judges: readonly string[]): readonly string[] {
  const checks = limitChecks.filter(({ requirements }) => requirements.includes(id)).map((check) => check.id);
  if (checks.length === 0 && judges.length === 0) return ["judged by the exam of limits: assay limits"];
  return [
    ...(judges.length > 0 ? [`judges: ${judges.join(", ")}`] : []),
    ...(checks.length > 0 ? [`limit checks: ${checks.join(", ")}`] : []),
  ];
}

function explainProfile(id: string): readonly string[] {
  const { profile } = loadProfile(id);
  return [
    `${profile.id}  load profile, ${profile.arrivals.kind}`,
    profile.title,
    "",
    ...profile.gates.map(({ expression }) => `gate: ${expression}`),
    `what it sends: assay load --profile ${profile.id} --plan`,
  ];
}

function similarChecks(id: string): readonly string[] {
  const nearest = closestWord(
    id,
    limitChecks.map((check) => check.id),
  );
  return nearest === null ? [] : [nearest];
}

function explainCheck(check: LimitCheckEntry): readonly string[] {
  const breaking = allMutants.filter((one) => one.violates.includes(check.id));
  return [
    `${check.id}  ${check.level}  policy ${check.policy}`,
    check.title,
    "",
    `violation: ${check.violation}`,
    `requirements: ${check.requirements.join(", ")}`,
    ...breaking.map((mutant) => `defect: ${mutant.id} - ${mutant.title}`),
  ];
}

function explainSwitch(change: Switch): readonly string[] {
  const head = [`${change.id}  ${change.kind}  area ${change.area}`, change.title];
  if (change.kind === "variant") return [...head, `lawful because ${change.lawfulBecause}`];
  return [
    ...head,
    `violates: ${change.violates.join(", ")}`,
    ...(change.mayAlsoFail === undefined ? [] : [`may also fail: ${change.mayAlsoFail.join(", ")}`]),
    ...(change.origin === undefined ? [] : [`seen in: ${change.origin}`]),
  ];
}

const bounds: Readonly<Record<GateFigureEntry["unit"], string>> = {
  time: "800ms",
  "tokens a second": "20",
  "a second": "5",
  fraction: "1%",
  count: "0",
};

/**
 * The explanation of a figure of gates, as gates and reports write it: `chat.ttft.p95`, `ttft`, `error_rate`, `buffered`, or a
 * whole gate. null: it is no figure.
 */
function explainFigure(text: string): readonly string[] | null {
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

function similarFigures(text: string): readonly string[] {
  const [name = ""] = text.split(".");
  const nearest = closestWord(
    name,
    gateFigures.map((figure) => figure.name),
  );
  return nearest === null ? [] : [nearest];
}
