import type { Accusation } from "./judge.ts";
import { describeType, showValue } from "./json-value.ts";

/** The fault, as the kind and as the message. */
export type WrongWords = Pick<Accusation, "kind" | "message">;

/** `error is "x"` for the reader, `error is ""` in the kind: what a target writes there may differ from run to run. */
export function wrongValue(
  before: string,
  value: unknown,
  { after = "", limit = 60 }: { readonly after?: string; readonly limit?: number } = {},
): Required<WrongWords> {
  return { kind: `${before}${kindOfValue(value)}${after}`, message: `${before}${showValue(value, limit)}${after}` };
}

/** The same behind other words. */
export function inContext(before: string, words: WrongWords | null): Required<WrongWords> {
  const { kind = "", message = kind } = words ?? {};
  return { kind: `${before}${kind}`, message: `${before}${message}` };
}

export function kindOfValue(value: unknown): string {
  if (typeof value === "string") return '""';
  if (typeof value === "number") return withoutNumbers(String(value));
  return typeof value === "object" && value !== null ? describeType(value) : showValue(value);
}

/** A name of the target inside a kind: numbers in it are written 0, as in all kinds. */
export function withoutNumbers(name: string): string {
  return name.replaceAll(/\d+/g, "0");
}
