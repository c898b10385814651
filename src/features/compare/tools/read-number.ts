import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";

/** The finite number at a path of members, or null. */
export function readNumber(value: unknown, ...path: readonly string[]): number | null {
  const found = readMember(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** The text at a path of members, cut to what a table can show; or null. */
export function readText(value: unknown, ...path: readonly string[]): string | null {
  const found = readMember(value, ...path);
  return typeof found === "string" ? found.slice(0, 200) : null;
}

export function readMember(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}
