import type { Meaning, Statistic, ToolFigure, ToolReport } from "./foreign-report.ts";

export interface FigureList {
  readonly figures: ToolFigure[];
  /** Adds a figure unless the file does not hold it; zero latencies stand for "not measured" in more than one tool. */
  readonly add: (meaning: Meaning, statistic: Statistic, source: string, value: number | null, caveat?: string | null) => void;
  readonly refuse: (figure: string, present: boolean, reason: string) => void;
  readonly report: (tool: string, version: string | null, load: string) => ToolReport;
}

export function createFigureList(): FigureList {
  const figures: ToolFigure[] = [];
  const refused: { figure: string; reason: string }[] = [];
  return {
    figures,
    add: (meaning, statistic, source, value, caveat = null) => {
      if (value === null || value < 0) return;
      if (value === 0 && meaning !== "failed-fraction") return;
      figures.push({ meaning, statistic, source, value, caveat });
    },
    refuse: (figure, present, reason) => {
      if (present) refused.push({ figure, reason });
    },
    report: (tool, version, load) => ({ tool, version, load, figures, refused }),
  };
}

/** The share of failures; null where nothing ended. */
export function fractionOf(failed: number | null, succeeded: number | null): number | null {
  if (failed === null || succeeded === null || failed + succeeded <= 0) return null;
  return failed / (failed + succeeded);
}
