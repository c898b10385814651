import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../../core/result/verdict.ts";
import { compareTools } from "../tools/compare-tools.ts";
import type { ToolReport } from "../tools/foreign-report.ts";
import { readAppendedReports, type readToolReports } from "../tools/read-tool-reports.ts";
import { readValues } from "../tools/read-values.ts";
import { renderToolComparison } from "../tools/render-tool-comparison.ts";
import { compileSchema } from "../../../schemas/validator.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

interface ToolSide {
  readonly own: boolean;
  readonly report: ToolReport;
}

/** Compares when at least one path holds the result of another tool, and gives the exit code; null when both are assay's own. */
export function compareToolsCommand(
  base: string,
  next: string,
  { json, gate, out }: { readonly json: boolean; readonly gate: boolean; readonly out?: string },
): number | null {
  const sides = [openSide(base), openSide(next)];
  if (sides.every((side) => side === null || side.own)) return null;
  const [left, right] = sides.map((side, index) => choose(side, [base, next][index] ?? ""));
  if (gate) throw new UsageError("results of other tools hold no intervals: no gate can be judged by them", "leave out --gate");
  if (out !== undefined) throw new UsageError("--out writes comparisons of two runs of assay", "use --json");
  const compared = compareTools(left!.report, right!.report);
  if (json) output.printJson(compared);
  else output.print(renderToolComparison(compared));
  return compared.figures.length > 0 ? exitCodes.met : exitCodes.invalid;
}

/** `FILE#NAME` names one of several load tests in a file. null: nothing that is known, which the comparison of runs explains. */
function openSide(path: string): ReturnType<typeof readToolReports> {
  const [given] = splitName(path);
  const file = existsSync(given) && statSync(given).isDirectory() ? join(given, "result.json") : given;
  if (!existsSync(file)) return null;
  const read = readValues(readFileSync(file, "utf8"));
  if ("problem" in read) throw new UsageError(`${file}: ${read.problem}`);
  const [value] = read.values;
  try {
    return readAppendedReports(read.values);
  } catch (error) {
    // Files of other tools are read member by member; a result of assay is taken as a whole.
    const [fault] = compileSchema("result.schema")(value);
    if (fault === undefined) throw error;
    throw new UsageError(`${file} is no result of assay: ${fault.pointer || "/"} ${fault.message}`);
  }
}

function splitName(path: string): readonly [file: string, name: string | null] {
  const mark = path.lastIndexOf("#");
  return mark === -1 || existsSync(path) ? [path, null] : [path.slice(0, mark), path.slice(mark + 1)];
}

function choose(side: ReturnType<typeof openSide>, path: string): ToolSide {
  const known =
    "results of assay, GuideLLM, AIPerf, inference-perf, vLLM bench (--save-result, --append-result) and k6 (--summary-export) can be read";
  if (side === null) throw new UsageError(`${path} holds no result that is known`, known);
  const [file, name] = splitName(path);
  const ids = side.reports.map(({ id }) => id);
  if (ids.length === 0) throw new UsageError(`${file} holds no load test`, "run assay load or assay run first");
  const chosen = name === null ? (ids.length === 1 ? side.reports[0] : undefined) : side.reports.find(({ id }) => id === name);
  if (chosen === undefined)
    throw new UsageError(`${file} holds ${ids.length} load tests: ${ids.join(", ")}`, `name one of them: ${file}#${ids[0]}`);
  return { own: side.own, report: chosen.report };
}
