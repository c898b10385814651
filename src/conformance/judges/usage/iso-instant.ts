import { twoDigits } from "../../../core/exchange/headers/http-date.ts";

export interface IsoInstant {
  readonly unixMs: number;
  /** Offset as written, in minutes; null when none is written (taken as UTC). */
  readonly offsetMinutes: number | null;
}

/** The basic format leaves the separators out. */
const basic = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?:\d{2})?)?)?$/;
/** Calendar date, optionally with time of day and offset; extended format (ISO 8601-1, sections 5.2.2, 5.3.1 and 5.4.2). */
const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** null: not written as ISO 8601, or no date of the calendar. */
export function parseIsoInstant(text: string): IsoInstant | null {
  const usualMs = readUsual(text);
  if (usualMs !== null) return { unixMs: usualMs, offsetMinutes: 0 };
  const match = pattern.exec(text) ?? basic.exec(text);
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

/** As nearly all services write it: `2026-01-31T00:00:00Z`. null: ask the pattern, as for the day that only leap years have. */
function readUsual(text: string): number | null {
  if (text.length !== 20 || text[4] !== "-" || text[7] !== "-" || text[10] !== "T") return null;
  if (text[13] !== ":" || text[16] !== ":" || text[19] !== "Z") return null;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const days = daysOfMonths[month - 1] ?? 0;
  if (!(year >= 0 && day >= 1 && day <= days && hour <= 24 && minute <= 59 && second <= 60)) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const daysOfMonths: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Minutes; the letter Z has no digits and is 0. */
function readOffset(zone: string): number {
  const digits = zone.slice(1).replace(":", "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone.startsWith("-") ? -minutes : minutes;
}
