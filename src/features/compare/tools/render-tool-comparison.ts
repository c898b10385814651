import { displayWidth, terminalText } from "../../../report/escape/terminal.ts";
import { formatFigure, formatPercent } from "../../../report/text/format-number.ts";
import type { ComparedFigure, ComparedTool, ToolComparison } from "./compare-tools.ts";

/** The comparison as plain text. Names and loads come from files that anybody wrote: they pass as text only. */
export function renderToolComparison({ base, next, figures, refused, noVerdict }: ToolComparison): string {
  const head = [`base  ${describe(base)}`, `new   ${describe(next)}`, ""];
  const rows = figures.map((figure) => [
    `${figure.meaning} ${figure.statistic}`,
    formatFigure(figure.base, figure.unit),
    formatFigure(figure.next, figure.unit),
    figure.relative === null ? "" : `${figure.relative > 0 ? "+" : ""}${formatPercent(figure.relative)}`,
  ]);
  const table =
    rows.length === 0 ? ["no figure means the same in both"] : align([["same meaning", "base", "new", "change"], ...rows]);
  const meanings = [...new Map(figures.map(({ meaning, text }) => [meaning, text]))].map(
    ([meaning, text]) => `  ${meaning}: ${text}`,
  );
  const caveats = [...new Set(figures.flatMap((figure: ComparedFigure) => figure.caveats))].map(
    (text) => `  ${terminalText(text)}`,
  );
  const left = refused.map(
    ({ side, figure, reason }) => `  ${side === "base" ? "base" : "new "}  ${terminalText(`${figure}: ${reason}`)}`,
  );
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", title, ...lines];
  const parts = [...head, ...table, ...section("what they mean", meanings), ...section("how they may differ", caveats)];
  return `${[...parts, ...section("not compared", left), "", noVerdict].join("\n")}\n`;
}

function describe({ tool, version, load }: ComparedTool): string {
  return terminalText(`${tool}${version === null ? "" : ` ${version}`}: ${load}`);
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const space = " ".repeat(widths[column]! - displayWidth(cell));
        return column === 0 ? cell + space : space + cell;
      })
      .join("  ")
      .trimEnd(),
  );
}
