/** Cuts to at most `limit` UTF-16 units and says what is missing; never splits a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/**
 * A value with every string cut at `limit`, so that one line of two megabytes cannot fill a report. Members
 * named in `keep` stay whole.
 */
export function clipStrings<T>(value: T, limit: number, keep: ReadonlySet<string> = new Set()): T {
  return clipAny(value, limit, keep) as T;
}

/** Names of members are never cut below this, so that our own stay whole. */
const shortest = 100;

/** Values without a long string are returned as they are: most of a large result is numbers. */
function clipAny(value: unknown, limit: number, keep: ReadonlySet<string>): unknown {
  if (typeof value === "string") return value.length <= limit ? value : clip(value, limit);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const clipped = clipAny(item, limit, keep);
      if (clipped === item) continue;
      copy ??= [...(value as unknown[])];
      copy[index] = clipped;
    }
    return copy ?? value;
  }
  return clipMembers(value as Readonly<Record<string, unknown>>, limit, keep);
}

function clipMembers(value: Readonly<Record<string, unknown>>, limit: number, keep: ReadonlySet<string>): unknown {
  const names = Object.keys(value);
  const nameLimit = Math.max(limit, shortest);
  const clipped = names.map((name) => (keep.has(name) ? value[name] : clipAny(value[name], limit, keep)));
  if (names.every((name, index) => clipped[index] === value[name] && name.length <= nameLimit)) return value;
  return Object.fromEntries(names.map((name, index) => [clip(name, nameLimit), clipped[index]]));
}
