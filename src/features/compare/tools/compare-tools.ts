import { type Meaning, meanings, type Statistic, type ToolFigure, type ToolReport } from "./foreign-report.ts";

/** Figures of two load tests beside each other, at least one of them of another tool. */
export interface ToolComparison {
  readonly schemaVersion: "1.0";
  readonly base: ComparedTool;
  readonly next: ComparedTool;
  /** Figures that mean the same in both. */
  readonly figures: readonly ComparedFigure[];
  /** Figures that stand in one of the files and were not compared, with the reason. */
  readonly refused: readonly { readonly side: "base" | "next"; readonly figure: string; readonly reason: string }[];
  /** Why there is no verdict, whatever the figures say. */
  readonly noVerdict: string;
}

export type ComparedTool = Pick<ToolReport, "tool" | "version" | "load">;

export interface ComparedFigure {
  readonly meaning: Meaning;
  readonly text: string;
  readonly statistic: Statistic;
  readonly unit: "ms" | "/s" | "tokens/s" | "fraction";
  readonly base: number;
  readonly next: number;
  /** (next - base) / base; null where base is 0. */
  readonly relative: number | null;
  /** How the two may differ although they mean the same. */
  readonly caveats: readonly string[];
}

const noVerdict =
  "no verdict: these files hold no spread of their figures over time, and nothing says that both tools sent the same load; " +
  "assay compare of two runs or two base URLs judges changes";

/** Pairs figures of one meaning and one statistic; everything else is refused by name, so that no silence reads as agreement. */
export function compareTools(base: ToolReport, next: ToolReport): ToolComparison {
  const find = (figures: readonly ToolFigure[], wanted: ToolFigure): ToolFigure | undefined =>
    figures.find(({ meaning, statistic }) => meaning === wanted.meaning && statistic === wanted.statistic);
  const figures = base.figures.flatMap((figure): readonly ComparedFigure[] => {
    const other = find(next.figures, figure);
    return other === undefined ? [] : [pair(figure, other, base.tool, next.tool)];
  });
  const lacking = (own: ToolReport, other: ToolReport): readonly { readonly figure: string; readonly reason: string }[] => [
    ...own.refused,
    ...own.figures
      .filter((figure) => find(other.figures, figure) === undefined)
      .map(({ source, meaning }) => ({
        figure: source,
        reason: `${other.tool} gives no such figure (${meanings[meaning].text})`,
      })),
  ];
  const pick = ({ tool, version, load }: ToolReport): ComparedTool => ({ tool, version, load });
  return {
    schemaVersion: "1.0",
    base: pick(base),
    next: pick(next),
    figures,
    refused: [
      ...lacking(base, next).map((entry) => ({ side: "base" as const, ...entry })),
      ...lacking(next, base).map((entry) => ({ side: "next" as const, ...entry })),
    ],
    noVerdict,
  };
}

function pair(base: ToolFigure, next: ToolFigure, baseTool: string, nextTool: string): ComparedFigure {
  const { unit, text } = meanings[base.meaning];
  const interpolation =
    base.statistic.startsWith("p") && baseTool !== nextTool ? ["each tool interpolates percentiles in its own way"] : [];
  const own = [
    ...(base.caveat === null ? [] : [`${baseTool}: ${base.caveat}`]),
    ...(next.caveat === null ? [] : [`${nextTool}: ${next.caveat}`]),
  ];
  return {
    meaning: base.meaning,
    text,
    statistic: base.statistic,
    unit,
    base: base.value,
    next: next.value,
    relative: base.value === 0 ? null : (next.value - base.value) / base.value,
    caveats: [...new Set([...own, ...interpolation])],
  };
}
