type LabelPart = string | number;

/**
 * Labels of one beginning: a suite sends `exceed-1-2`, a judge finds what was sent under any label of the series. `Parts`: what it is
 * continued with, one tuple or several.
 */
export interface LabelSeries<Parts extends readonly LabelPart[] = [round: number]> {
  readonly label: (...parts: Parts) => string;
  /** True of every label of the series, whatever its parts. */
  readonly has: (exchange: { readonly label: string }) => boolean;
}

/** `name`: one word or several. `labelSeries("after", "alone")` is a part of `labelSeries("after")`, which has its labels too. */
export function labelSeries<Parts extends readonly LabelPart[]>(...name: readonly [string, ...string[]]): LabelSeries<Parts> {
  const beginning = `${name.join("-")}-`;
  return {
    label: (...parts) => `${beginning}${parts.join("-")}`,
    has: ({ label }) => label.startsWith(beginning),
  };
}
