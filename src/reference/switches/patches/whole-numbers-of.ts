import type { KeySettingsValues } from "../../engine/keys/key-record.ts";

/** The part of a refused change of settings that could be carried out. */
export function wholeNumbersOf(body: unknown): Partial<KeySettingsValues> {
  if (!(body instanceof Buffer)) return {};
  try {
    const members = Object.entries(JSON.parse(body.toString()) as Readonly<Record<string, unknown>>);
    return Object.fromEntries(members.filter(([, value]) => Number.isInteger(value)));
  } catch {
    return {};
  }
}
