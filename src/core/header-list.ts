/** Header fields in the order received, names as spelled on the wire; repeated fields stay apart. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * The names of a list, and where each stands. Answers of one service carry the same fields in the same order, so a few of these
 * serve all of them and a lookup compares names instead of searching them.
 */
interface Layout {
  readonly names: readonly string[];
  /** By lower-case name. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The layouts that were met last; a few, as a hostile target can make up as many as it likes. */
const layouts: Layout[] = [];
const layoutsKept = 16;

/** Fields are asked for many names one after the other. */
const latest: { headers: HeaderList; length: number; layout: Layout } = {
  headers: [],
  length: 0,
  layout: { names: [], places: new Map() },
};

const nowhere: readonly number[] = [];

/** Where the fields with this lower-case name stand in the list (RFC 9110 section 5.1: names are case-insensitive). */
export function headerPlaces(headers: HeaderList, lowerCaseName: string): readonly number[] {
  if (headers !== latest.headers || headers.length !== latest.length) {
    latest.layout = findLayout(headers);
    latest.headers = headers;
    latest.length = headers.length;
  }
  return latest.layout.places.get(lowerCaseName) ?? nowhere;
}

/** Values of every field with this name. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const places = headerPlaces(headers, name.toLowerCase());
  return places.map((place) => headers[place]?.[1] ?? "");
}

/** The single value of a field, or null when it is absent or repeated. */
export function singleHeader(headers: HeaderList, name: string): string | null {
  const places = headerPlaces(headers, name.toLowerCase());
  return places.length === 1 ? (headers[places[0] ?? 0]?.[1] ?? null) : null;
}

function findLayout(headers: HeaderList): Layout {
  for (const layout of layouts) if (hasNames(headers, layout.names)) return layout;
  const names = headers.map(([name]) => name);
  const places = new Map<string, number[]>();
  for (const [place, name] of names.entries()) {
    const key = name.toLowerCase();
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  }
  const layout = { names, places };
  layouts.unshift(layout);
  layouts.length = Math.min(layouts.length, layoutsKept);
  return layout;
}

function hasNames(headers: HeaderList, names: readonly string[]): boolean {
  if (headers.length !== names.length) return false;
  for (let place = 0; place < names.length; place += 1) if (headers[place]?.[0] !== names[place]) return false;
  return true;
}
