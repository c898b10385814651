import { isJsonObject, tryJson } from "../../../core/exchange/bodies/recorded-json.ts";

export interface ObjectLine {
  /** `line 3` */
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Lines of JSON objects. Numbers of sixteen digits and more become texts: as numbers they would be rounded, and two ids become one. */
export function readObjects(lines: readonly string[], problems: string[]): readonly ObjectLine[] {
  return lines.flatMap((line, index): readonly ObjectLine[] => {
    if (line.trim() === "") return [];
    const place = `line ${index + 1}`;
    const value = tryJson(line) === undefined ? undefined : tryJson(quoteLongNumbers(line));
    if (isJsonObject(value)) return [{ place, value }];
    problems.push(`${place} is no JSON object`);
    return [];
  });
}

/** A text is matched first, so that digits within one stay as they are. */
function quoteLongNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (match) => (match.startsWith('"') ? match : `"${match}"`));
}
