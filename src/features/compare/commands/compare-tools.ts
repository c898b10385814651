import { exitCodes } from "../../../core/result/verdict.ts";
import { compareTools } from "../tools/compare-tools.ts";
import type { ToolReport } from "../tools/foreign-report.ts";
import { openReports, splitFileName } from "../tools/open-reports.ts";
import type { readToolReports } from "../tools/read-tool-reports.ts";
import { renderToolComparison } from "../tools/render-tool-comparison.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

interface ToolSide {
  readonly own: boolean;
  readonly report: ToolReport;
}

interface ToolFlags {
  readonly json: boolean;
  readonly gate: boolean;
  readonly out?: string;
  readonly overlay: readonly string[];
}

/** Compares when at least one path holds the result of another tool, and gives the exit code; null when both are assay's own. */
export function compareToolsCommand(base: string, next: string, { json, gate, out, overlay }: ToolFlags): number | null {
  const sides = [openReports(base), openReports(next)];
  if (sides.every((side) => side === null || side.own)) return null;
  const [left, right] = sides.map((side, index) => choose(side, [base, next][index] ?? ""));
  if (gate) throw new UsageError("results of other tools hold no intervals: no gate can be judged by them", "leave out --gate");
  if (out !== undefined) throw new UsageError("--out writes comparisons of two runs of assay", "use --json");
  if (overlay.length > 0)
    throw new UsageError("--overlay lays points over two runs of assay", "give two runs, and this file as --overlay");
  const compared = compareTools(left!.report, right!.report);
  if (json) output.printJson(compared);
  else output.print(renderToolComparison(compared));
  return compared.figures.length > 0 ? exitCodes.met : exitCodes.invalid;
}

function choose(side: ReturnType<typeof readToolReports>, path: string): ToolSide {
  const known =
    "results of assay, GuideLLM, AIPerf, inference-perf, vLLM bench (--save-result, --append-result) and k6 (--summary-export) can be read";
  if (side === null) throw new UsageError(`${path} holds no result that is known`, known);
  const [file, name] = splitFileName(path);
  const ids = side.reports.map(({ id }) => id);
  if (ids.length === 0) throw new UsageError(`${file} holds no load test`, "run assay load or assay run first");
  const chosen = name === null ? (ids.length === 1 ? side.reports[0] : undefined) : side.reports.find(({ id }) => id === name);
  if (chosen === undefined)
    throw new UsageError(`${file} holds ${ids.length} load tests: ${ids.join(", ")}`, `name one of them: ${file}#${ids[0]}`);
  return { own: side.own, report: chosen.report };
}
