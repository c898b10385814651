export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON type name as a reader of a report expects it: `integer` apart from `number`. */
export function describeType(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A value as one short line, for `observed`; long values are cut. */
export function showValue(value: unknown, limit = 120): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > limit ? `${text.slice(0, limit)}... (${text.length} characters)` : text;
}

/** The value at a dotted path; numbers index arrays. undefined where the path leads nowhere. */
export function memberAt(value: unknown, path: string): unknown {
  let current = value;
  for (const part of path.split(".")) {
    if (Array.isArray(current)) current = current[Number(part)] as unknown;
    else if (isJsonObject(current)) current = current[part];
    else return undefined;
  }
  return current;
}
