import type { Reading } from "../core/result/reading.ts";
import type { Requirement } from "../core/result/requirement.ts";
import { readSchemaText } from "./read-schema.ts";

/** All requirements in the order of the catalogue (`schemas/requirements.json`, kept valid by a test). */
export function readCatalogue(): readonly Requirement[] {
  const file = JSON.parse(readSchemaText("requirements")) as { readonly requirements: readonly Requirement[] };
  return file.requirements;
}

/** All decided readings, in order (`schemas/readings.json`). */
export function readReadings(): readonly Reading[] {
  const file = JSON.parse(readSchemaText("readings")) as { readonly readings: readonly Reading[] };
  return file.readings;
}
