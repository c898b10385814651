import type { GateFigure, GateOperator } from "./gate.ts";

/**
 * Why a gate could only ever pass, or only ever fail, whatever was measured; null when it can do both. `bound` is in the unit of
 * the figure, fractions from 0 to 1.
 */
export function undecidableBound(figure: GateFigure, operator: GateOperator, bound: number): string | null {
  const isShare = figure.kind === "fraction";
  const most = isShare ? 1 : Infinity;
  const range = isShare ? "lies between 0 % and 100 %" : "is never below 0";
  const never = `it can never be met: the figure ${range}`;
  const always = `it can never be missed: the figure ${range}`;
  if (operator === "==" || operator === "!=") {
    if (bound > most) return operator === "==" ? never : always;
    if (figure.kind === "fraction" && (operator === "!=" || (bound !== 0 && bound !== 1)))
      return "equality with a measured share proves nothing: use < or >, or `== 0` or `== 100%`";
    if (figure.kind === "percentile" || figure.kind === "moment" || figure.kind === "rate")
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
