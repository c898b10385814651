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
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "0", zone] = match;
  const localMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(localMs);
  // 24:00 and leap seconds roll over; a day that does not exist must not.
  const isCalendarDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (
    !isCalendarDay ||
    Number(month) < 1 ||
    Number(month) > 12 ||
    Number(hour) > 24 ||
    Number(minute) > 59 ||
    Number(second) > 60
  ) {
    return null;
  }
  const offsetMinutes = zone === undefined ? null : readOffset(zone);
  return { unixMs: date.getTime() + Math.floor(Number(`0.${fraction}`) * 1000) - (offsetMinutes ?? 0) * 60_000, offsetMinutes };
}

function readOffset(zone: string): number {
  if (zone === "Z") return 0;
  const digits = zone.slice(1).replace(":", "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || "0");
  return zone.startsWith("-") ? -minutes : minutes;
}
