/** Cuts to at most `limit` UTF-16 units and tells what is missing; never splits a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/**
 * Copies a value with every string cut at `limit`, so that one line of two megabytes cannot fill a report. Members
 * named in `keep` stay whole.
 */
export function clipStrings<T>(value: T, limit: number, keep: ReadonlySet<string> = new Set()): T {
  return clipAny(value, limit, keep) as T;
}

/** Names of members are cut no shorter than this: ours must stay. */
const shortest = 100;

function clipAny(value: unknown, limit: number, keep: ReadonlySet<string>): unknown {
  if (typeof value === "string") return clip(value, limit);
  if (Array.isArray(value)) {
    return typeof value[0] === "number" ? value : value.map((item) => clipAny(item, limit, keep));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      clip(name, Math.max(limit, shortest)),
      keep.has(name) ? member : clipAny(member, limit, keep),
    ]),
  );
}
