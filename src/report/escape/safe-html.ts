import { escapeHtml } from "./html.ts";

/** Symbol, so that no JSON of a target or of an old run can pose as markup. */
const markup: unique symbol = Symbol("markup");

/** Markup that is safe to insert: made only by `html` from literal templates, or trusted explicitly. */
export interface SafeHtml {
  readonly [markup]: string;
}

export type Insertable = SafeHtml | string | number | null | undefined | false | readonly Insertable[];

/** Template tag: literal parts are markup, every inserted string is escaped. Values may stand in text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): SafeHtml {
  const literals = withoutIndent(parts);
  let text = literals[0] ?? "";
  for (const [index, value] of values.entries()) text += insert(value) + (literals[index + 1] ?? "");
  return { [markup]: text };
}

/** Our own style sheet and script, which must not be escaped. Never for anything a target could have touched. */
export function trustMarkup(text: string): SafeHtml {
  return { [markup]: text };
}

export function markupOf(value: SafeHtml): string {
  return value[markup];
}

export const nothing: SafeHtml = trustMarkup("");

const outdented = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The source is indented for its readers; the page need not be. Once for each template. */
function withoutIndent(parts: TemplateStringsArray): readonly string[] {
  const known = outdented.get(parts);
  if (known !== undefined) return known;
  const literals = parts.map((part) => part.replace(/\n\s*/g, "\n").replace(/\s+(\/?>)/g, "$1"));
  outdented.set(parts, literals);
  return literals;
}

function insert(value: Insertable): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  if (isList(value)) return value.map(insert).join("");
  const own: unknown = value[markup];
  if (typeof own !== "string") throw new TypeError("neither text nor markup made by the html template");
  return own;
}

function isList(value: SafeHtml | readonly Insertable[]): value is readonly Insertable[] {
  return Array.isArray(value);
}
