import type { Reading } from "../core/result/reading.ts";
import type { Requirement } from "../core/result/requirement.ts";
import { readSchemaText } from "./read-schema.ts";

let catalogue: readonly Requirement[] | null = null;

/** All requirements in the order of the catalogue (`schemas/requirements.json`, kept valid by a test), read once. */
export function readCatalogue(): readonly Requirement[] {
  catalogue ??= (JSON.parse(readSchemaText("requirements")) as { readonly requirements: readonly Requirement[] }).requirements;
  return catalogue;
}

/** All decided readings, in order (`schemas/readings.json`). */
export function readReadings(): readonly Reading[] {
  const file = JSON.parse(readSchemaText("readings")) as { readonly readings: readonly Reading[] };
  return file.readings;
}
