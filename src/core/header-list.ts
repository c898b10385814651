/** Header fields in the order received, names as spelled on the wire; repeated fields stay apart. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Values of every field with this name (RFC 9110 section 5.1: names are case-insensitive). */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([field]) => field.toLowerCase() === wanted).map(([, value]) => value);
}

/** The single value of a field, or null when it is absent or repeated. */
export function singleHeader(headers: HeaderList, name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 1 ? (values[0] ?? null) : null;
}
