/** Header fields in the order received, names as spelled on the wire; repeated fields stay apart. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Values of every field with this name (RFC 9110 section 5.1: names are case-insensitive). */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  // Asked for many names on each of a million responses: lengths rule most fields out.
  for (const [field, value] of headers) {
    if (field.length === wanted.length && (field === wanted || field.toLowerCase() === wanted)) values.push(value);
  }
  return values;
}

/** The single value of a field, or null when it is absent or repeated. */
export function singleHeader(headers: HeaderList, name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 1 ? (values[0] ?? null) : null;
}
