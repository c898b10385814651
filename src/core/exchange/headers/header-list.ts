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
  /** Positions by finder: each looks through a layout once. */
  readonly found: (readonly number[] | undefined)[];
}

/** The layouts that were met last; a few, as a hostile target can make up as many as it likes. */
const layouts: Layout[] = [];
const layoutsKept = 16;

/** The list that was looked at last: callers ask one list for many names in a row. */
const latest: { headers: HeaderList; length: number; layout: Layout } = {
  headers: [],
  length: 0,
  layout: { names: [], places: new Map(), found: [] },
};

const nowhere: readonly number[] = [];
const noValues: readonly string[] = [];

/** Returned instead of a position. */
export const fieldAbsent = -1;
export const fieldRepeated = -2;

/** For each of its names where the field stands, `fieldAbsent` or `fieldRepeated`. */
export type FieldFinder = (headers: HeaderList) => readonly number[];

let finders = 0;

/** For code that asks every answer for the same fields: one comparison of lists serves all of them. Names in lower case. */
export function createFieldFinder(lowerCaseNames: readonly string[]): FieldFinder {
  const finder = finders;
  finders += 1;
  return (headers) => {
    const { found, places } = layoutOf(headers);
    return (found[finder] ??= lowerCaseNames.map((name) => placeOf(places.get(name) ?? nowhere)));
  };
}

function placeOf([place, ...more]: readonly number[]): number {
  return place === undefined ? fieldAbsent : more.length > 0 ? fieldRepeated : place;
}

/** The places of the fields with this lower-case name in the list (RFC 9110 section 5.1: names are case-insensitive). */
export function headerPlaces(headers: HeaderList, lowerCaseName: string): readonly number[] {
  return layoutOf(headers).places.get(lowerCaseName) ?? nowhere;
}

/** Values of every field with this name. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const places = headerPlaces(headers, name.toLowerCase());
  return places.length === 0 ? noValues : places.map((place) => headers[place]?.[1] ?? "");
}

/** The single value of a field, or null when it is absent or repeated. */
export function singleHeader(headers: HeaderList, name: string): string | null {
  const places = headerPlaces(headers, name.toLowerCase());
  return places.length === 1 ? (headers[places[0] ?? 0]?.[1] ?? null) : null;
}

function layoutOf(headers: HeaderList): Layout {
  if (headers !== latest.headers || headers.length !== latest.length) {
    if (!hasLatestNames(headers)) latest.layout = findLayout(headers);
    latest.headers = headers;
    latest.length = headers.length;
  }
  return latest.layout;
}

/** Whether the names are those of the list before, as they mostly are. */
function hasLatestNames(headers: HeaderList): boolean {
  const { headers: before, length, layout } = latest;
  if (headers.length !== length || before.length !== length) return false;
  for (let place = 0; place < length; place += 1) {
    if (headers[place] !== before[place] && headers[place]?.[0] !== layout.names[place]) return false;
  }
  return true;
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
  const layout: Layout = { names, places, found: [] };
  layouts.unshift(layout);
  layouts.length = Math.min(layouts.length, layoutsKept);
  return layout;
}

function hasNames(headers: HeaderList, names: readonly string[]): boolean {
  if (headers.length !== names.length) return false;
  for (let place = 0; place < names.length; place += 1) if (headers[place]?.[0] !== names[place]) return false;
  return true;
}
