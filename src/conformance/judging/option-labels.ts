import { type LabelSeries, labelSeries } from "./label-series.ts";

/** Labels of generated requests: a number, then the options that are not the usual ones. */
export const optionLabels: LabelSeries<[options: string]> = labelSeries("options");

/** `options-7: spaced, no-max-tokens` */
export function optionsText(number: number, options: readonly string[]): string {
  return `${number}: ${options.join(", ") || "usual"}`;
}

/** The options of a generated request; empty for others. */
export function optionsOf(exchange: { readonly label: string }): readonly string[] {
  if (!optionLabels.has(exchange)) return [];
  const [, options = ""] = exchange.label.split(": ");
  return options.split(", ");
}

/** For rows of acceptance: whether a request was generated with this option. */
export function showsOption(option: string): (body: unknown, exchange: { readonly label: string }) => boolean {
  return (_body, exchange) => optionsOf(exchange).includes(option);
}
