export interface IsoInstant {
  readonly unixMs: number;
  /** Offset as written, in minutes; null when none is written (taken as UTC). */
  readonly offsetMinutes: number | null;
}

/** Calendar date, optionally with time of day and offset; extended format (ISO 8601-1, sections 5.2.2, 5.3.1 and 5.4.2). */
const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** null: not written as ISO 8601, or no date of the calendar. */
export function parseIsoInstant(text: string): IsoInstant | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const midnight = new Date(Date.UTC(year, month - 1, day));
  // 24:00 and leap seconds roll over; a day that does not exist must not.
  if (midnight.getUTCMonth() !== month - 1 || hour > 24 || minute > 59 || second > 60) return null;
  const [fraction, zone] = [match[7] ?? 0, match[8]];
  const offsetMinutes = zone === undefined ? null : readOffset(zone);
  const localMs = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(Number(`0.${fraction}`) * 1000);
  return { unixMs: localMs - (offsetMinutes ?? 0) * 60_000, offsetMinutes };
}

/** Minutes; the letter Z has no digits and is 0. */
function readOffset(zone: string): number {
  const digits = zone.slice(1).replace(":", "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith("-") ? -minutes : minutes;
}
