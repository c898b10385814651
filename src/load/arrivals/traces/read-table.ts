import { shortValue } from "../../../core/short-value.ts";

/** How a column of a CSV file is read. */
export interface Column {
  readonly name: string;
  /** The words for a wrong cell: `no instant`. */
  readonly expected: string;
  readonly parse: (cell: string) => number | string | null;
  /** Absent: the file must have it. */
  readonly optional?: true;
}

export interface TableRow {
  readonly place: string;
  /** By the name of the column. */
  readonly cells: Readonly<Record<string, number | string>>;
}

/** Rows of a CSV file without quotes whose first line names the columns. Columns that nobody reads are wrong by name. */
export function readTable(lines: readonly string[], columns: readonly Column[], problems: string[]): readonly TableRow[] {
  const header = (lines[0] ?? "").split(",").map((name) => name.trim());
  const places = columns.map(({ name }) => header.findIndex((found) => found.toLowerCase() === name.toLowerCase()));
  const missing = columns.filter((column, index) => places[index] === -1 && column.optional !== true);
  if (missing.length > 0) {
    problems.push(
      `line 1 must name the columns ${columns
        .filter(({ optional }) => optional !== true)
        .map(({ name }) => name)
        .join(", ")}`,
    );
    return [];
  }
  const unread = header.filter((_, place) => !places.includes(place));
  for (const name of unread) problems.push(`line 1: the column ${shortValue(name)} is not known, so that it cannot be replayed`);
  return lines.flatMap((line, index): readonly TableRow[] => {
    if (index === 0 || line.trim() === "") return [];
    const texts = line.split(",");
    const cells: Record<string, number | string> = {};
    let isRight = true;
    for (const [which, { name, expected, parse }] of columns.entries()) {
      const place = places[which] ?? -1;
      if (place === -1) continue;
      const cell = (texts[place] ?? "").trim();
      const value = parse(cell);
      if (value === null) {
        isRight = false;
        const what = cell === "" ? "is empty" : `is ${shortValue(cell)}, ${expected}`;
        problems.push(`line ${index + 1}, column ${place + 1} (${name}) ${what}`);
      } else {
        cells[name] = value;
      }
    }
    return isRight ? [{ place: `line ${index + 1}`, cells }] : [];
  });
}

export function parseCount(cell: string): number | null {
  return /^\d+$/.test(cell) && Number.isSafeInteger(Number(cell)) ? Number(cell) : null;
}
