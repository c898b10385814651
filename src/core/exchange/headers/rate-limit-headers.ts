import { createFieldFinder, fieldAbsent, fieldRepeated, headerValues, type FieldFinder, type HeaderList } from "./header-list.ts";
import { readResetTime, type ResetFormat, type ResetTime } from "./reset-time.ts";
import { readWholeNumber } from "./whole-number.ts";

/**
 * The six `x-ratelimit-*` fields (specification, section "Rate limits") as far as they can be read. Values in another
 * dialect are understood and named as a problem, so that one wrong format does not make every later check fail as well.
 */
export interface RateLimitHeaders {
  readonly requests: RateLimitStatus;
  readonly tokens: RateLimitStatus;
  readonly problems: readonly RateLimitHeaderProblem[];
}

export interface RateLimitStatus {
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset: ResetTime | null;
}

export const rateLimitUnits = ["requests", "tokens"] as const;
export type RateLimitUnit = (typeof rateLimitUnits)[number];
export type RateLimitMember = "limit" | "remaining" | "reset";

export interface RateLimitHeaderProblem {
  /** Field of the specification: `x-ratelimit-reset-tokens`. */
  readonly header: string;
  readonly unit: RateLimitUnit;
  readonly member: RateLimitMember;
  readonly kind:
    | "missing"
    /** Absent under its own name, found under that of another dialect (`foundAs`). */
    | "other-name"
    | "repeated"
    | "empty"
    | "not-a-number"
    | "not-an-integer"
    | "negative"
    | "remaining-above-limit"
    /** A reset that is not Unix seconds; `format` says what it is. */
    | "reset-format";
  readonly raw: string | null;
  readonly foundAs?: string;
  readonly format?: ResetFormat;
}

/** The six names in the order of the specification. */
export const rateLimitHeaderNames: readonly string[] = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-tokens",
];

/** `receivedUnixMs`: local wall clock at the response head, which distinguishes an instant from a duration. */
export function readRateLimitHeaders(headers: HeaderList, receivedUnixMs: number): RateLimitHeaders {
  const places = findAll(headers);
  const requests = readPlain(headers, places, 0, receivedUnixMs);
  const tokens = requests === null ? null : readPlain(headers, places, 3, receivedUnixMs);
  return requests === null || tokens === null ? readClosely(headers, receivedUnixMs) : { requests, tokens, problems: noProblems };
}

const findAll = createFieldFinder(rateLimitHeaderNames);
const noProblems: readonly RateLimitHeaderProblem[] = [];

/** Three fields that are there once each, as the specification has them, from `first` on; null: they need a closer look. */
function readPlain(headers: HeaderList, places: readonly number[], first: 0 | 3, receivedUnixMs: number): RateLimitStatus | null {
  const limit = wholeNumberAt(headers, places[first]);
  const remaining = wholeNumberAt(headers, places[first + 1]);
  if (limit === null || remaining === null || remaining > limit) return null;
  const raw = valueAt(headers, places[first + 2]);
  const reset = raw === null || readWholeNumber(raw) === null ? null : readResetTime(raw, receivedUnixMs);
  return reset?.format === "unix-seconds" ? { limit, remaining, reset } : null;
}

function valueAt(headers: HeaderList, place: number = fieldAbsent): string | null {
  return place < 0 ? null : (headers[place]?.[1] ?? null);
}

function wholeNumberAt(headers: HeaderList, place: number | undefined): number | null {
  const value = valueAt(headers, place);
  return value === null ? null : readWholeNumber(value);
}

/** Finds and names fields that are missing, repeated or in another dialect. */
function readClosely(headers: HeaderList, receivedUnixMs: number): RateLimitHeaders {
  const problems: RateLimitHeaderProblem[] = [];
  const requests = readStatus(headers, "requests", receivedUnixMs, problems);
  const tokens = readStatus(headers, "tokens", receivedUnixMs, problems);
  return { requests, tokens, problems };
}

function readStatus(
  headers: HeaderList,
  unit: RateLimitUnit,
  receivedUnixMs: number,
  problems: RateLimitHeaderProblem[],
): RateLimitStatus {
  const limit = readCount(headers, unit, "limit", problems);
  const remaining = readCount(headers, unit, "remaining", problems);
  if (limit !== null && remaining !== null && remaining > limit) {
    const header = `x-ratelimit-remaining-${unit}`;
    problems.push({ header, unit, member: "remaining", kind: "remaining-above-limit", raw: `${remaining} of ${limit}` });
  }
  return { limit, remaining, reset: readReset(headers, unit, receivedUnixMs, problems) };
}

/** Null also for a negative count: no number of requests can be less than none. */
function readCount(
  headers: HeaderList,
  unit: RateLimitUnit,
  member: "limit" | "remaining",
  problems: RateLimitHeaderProblem[],
): number | null {
  const raw = findValue(headers, unit, member, problems);
  if (raw === null) return null;
  const whole = readWholeNumber(raw);
  if (whole !== null) return whole;
  const text = raw.trim();
  const kind = countProblem(text);
  if (kind !== null) problems.push({ header: `x-ratelimit-${member}-${unit}`, unit, member, kind, raw });
  // `60, 60;w=60` and `60;w=60` (RateLimit header drafts): the leading number is the count.
  const leading = /^(\d+(?:\.\d+)?)(?:$|\s*[,;])/.exec(text);
  return leading ? Math.floor(Number(leading[1])) : null;
}

function countProblem(text: string): RateLimitHeaderProblem["kind"] | null {
  if (text === "") return "empty";
  if (/^\d+$/.test(text)) return null;
  if (/^-\d+(\.\d+)?$/.test(text)) return "negative";
  return /^\d+\.\d+$/.test(text) ? "not-an-integer" : "not-a-number";
}

function readReset(
  headers: HeaderList,
  unit: RateLimitUnit,
  receivedUnixMs: number,
  problems: RateLimitHeaderProblem[],
): ResetTime | null {
  const raw = findValue(headers, unit, "reset", problems);
  if (raw === null) return null;
  const header = `x-ratelimit-reset-${unit}`;
  if (raw.trim() === "") {
    problems.push({ header, unit, member: "reset", kind: "empty", raw });
    return null;
  }
  const reset = readResetTime(raw, receivedUnixMs);
  if (reset === null) {
    const kind = /^\s*-\d/.test(raw) ? "negative" : "not-a-number";
    problems.push({ header, unit, member: "reset", kind, raw });
  } else if (reset.format !== "unix-seconds") {
    problems.push({ header, unit, member: "reset", kind: "reset-format", raw, format: reset.format });
  }
  return reset;
}

function findValue(
  headers: HeaderList,
  unit: RateLimitUnit,
  member: RateLimitMember,
  problems: RateLimitHeaderProblem[],
): string | null {
  const { header, find, others, findOthers } = fieldNames[unit][member];
  const place = find(headers)[0] ?? fieldAbsent;
  if (place >= 0) return headers[place]?.[1] ?? null;
  if (place === fieldRepeated) {
    const values = headerValues(headers, header);
    problems.push({ header, unit, member, kind: "repeated", raw: values.join(" | ") });
    return values[0] ?? null;
  }
  const otherPlaces = findOthers(headers);
  for (let index = 0; index < others.length; index += 1) {
    const other = otherPlaces[index] ?? fieldAbsent;
    const foundAs = others[index];
    if (other === fieldAbsent || foundAs === undefined) continue;
    const raw = headers[other]?.[1] ?? headerValues(headers, foundAs)[0] ?? "";
    problems.push({ header, unit, member, kind: "other-name", raw, foundAs });
    return raw;
  }
  problems.push({ header, unit, member, kind: "missing", raw: null });
  return null;
}

interface FieldNames {
  readonly header: string;
  readonly find: FieldFinder;
  /** Of other services for the same thing (Anthropic, Azure OpenAI, RateLimit header drafts, express-rate-limit). */
  readonly others: readonly string[];
  readonly findOthers: FieldFinder;
}

/** Made once: they are asked for on each of a million responses. */
const fieldNames: Readonly<Record<RateLimitUnit, Readonly<Record<RateLimitMember, FieldNames>>>> = {
  requests: namesOf("requests"),
  tokens: namesOf("tokens"),
};

function namesOf(unit: RateLimitUnit): Readonly<Record<RateLimitMember, FieldNames>> {
  const of = (member: RateLimitMember): FieldNames => {
    const named = [`anthropic-ratelimit-${unit}-${member}`, `x-rate-limit-${member}-${unit}`, `ratelimit-${member}-${unit}`];
    const plain = unit === "requests" ? [`x-ratelimit-${member}`, `x-rate-limit-${member}`, `ratelimit-${member}`] : [];
    const header = `x-ratelimit-${member}-${unit}`;
    const others = [...named, ...plain];
    return { header, find: createFieldFinder([header]), others, findOthers: createFieldFinder(others) };
  };
  return { limit: of("limit"), remaining: of("remaining"), reset: of("reset") };
}
