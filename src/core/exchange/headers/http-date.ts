const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * HTTP-date (RFC 9110 section 5.6.7) in its three forms, as Unix milliseconds; null for anything else.
 * `nearUnixMs` settles the century of the obsolete two-digit form: a date more than 50 years ahead of it is in the past.
 */
export function parseHttpDate(value: string, nearUnixMs: number): number | null {
  const text = value.trim();
  const usual = readImfDate(text);
  if (usual !== null) return usual;
  const fixed = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  if (fixed) return assemble(fixed[3], fixed[2], fixed[1], fixed.slice(4, 7));
  const rfc850 = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  if (rfc850) {
    const latestYear = Math.floor(nearUnixMs / 31_556_952_000) + 1970 + 50;
    const year = latestYear - ((latestYear - Number(rfc850[3])) % 100);
    return assemble(String(year), rfc850[2], rfc850[1], rfc850.slice(4, 7));
  }
  const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text);
  if (asctime) return assemble(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  return null;
}

/**
 * The preferred form (`Sun, 06 Nov 1994 08:49:37 GMT`) as Unix milliseconds, read by its places because every answer carries one;
 * null for everything else, and for the days and seconds that only some months and minutes have.
 */
function readImfDate(text: string): number | null {
  if (text.length !== 29 || !text.endsWith(" GMT") || text[3] !== "," || text[4] !== " ") return null;
  if (text[7] !== " " || text[11] !== " " || text[16] !== " " || text[19] !== ":" || text[22] !== ":") return null;
  const day = twoDigits(text, 5);
  const month = monthOf.get(threeLetters(text, 8)) ?? -1;
  const year = 100 * twoDigits(text, 12) + twoDigits(text, 14);
  const hour = twoDigits(text, 17);
  const minute = twoDigits(text, 20);
  const second = twoDigits(text, 23);
  const isNamed = isLetter(text, 0, 65) && isLetter(text, 1, 97) && isLetter(text, 2, 97);
  const isWritten = !Number.isNaN(year + day + hour + minute + second);
  return isNamed && isWritten && month >= 0 && year >= 1000 && second <= 59
    ? unixMs(year, month + 1, day, [hour, minute, second])
    : null;
}

const monthOf: ReadonlyMap<number, number> = new Map(months.map((name, month) => [threeLetters(name, 0), month]));

function threeLetters(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) | (text.charCodeAt(at + 1) << 7) | text.charCodeAt(at + 2);
}

function isLetter(text: string, at: number, first: number): boolean {
  const letter = text.charCodeAt(at) - first;
  return letter >= 0 && letter < 26;
}

/** The number in two places of a text; NaN where they are no digits. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}

/** RFC 3339 timestamp with a zone, as Unix milliseconds; null for anything else. */
export function parseRfc3339(value: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/.exec(value.trim());
  if (!match) return null;
  const month = Number(match[2]);
  const whole = unixMs(Number(match[1]), month, Number(match[3]), match.slice(4, 7).map(Number));
  if (whole === null) return null;
  const zoneMinutes = match[8] === undefined ? 0 : Number(match[9]) * 60 + Number(match[10]);
  return whole + Number(match[7] ?? 0) * 1000 - (match[8] === "-" ? -1 : 1) * zoneMinutes * 60_000;
}

function assemble(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly string[],
): number | null {
  return unixMs(Number(year), months.indexOf(month ?? "") + 1, Number(day), time.map(Number));
}

/** Proleptic Gregorian calendar; second 60 is a leap second and counts as 59, as RFC 9110 lets recipients do. */
function unixMs(year: number, month: number, day: number, time: readonly number[]): number | null {
  const [hour = 0, minute = 0, second = 0] = time;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  return (((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Counted from March of the year 0, 719468 days before 1970, in years that begin in March: the leap day is then the last, and months
 * of 31, 30, 31, 30 and 31 days repeat.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const march = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(march / 4) - Math.floor(march / 100) + Math.floor(march / 400);
  const daysBeforeMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return 365 * march + leapDays + daysBeforeMonth + day - 1 - 719_468;
}
