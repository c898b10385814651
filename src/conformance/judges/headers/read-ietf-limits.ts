import { type InnerList, type Item, parseDictionary, parseList, Token } from "structured-headers";
import { createFieldFinder, fieldAbsent, headerValues, type HeaderList } from "../../../core/exchange/headers/header-list.ts";

/** One quota as the fields of the IETF draft describe it; a member that they do not say is null. */
export interface IetfQuota {
  readonly limit: number | null;
  readonly windowSeconds: number | null;
  /** `requests`, if the field names no other. */
  readonly unit: string;
  readonly remaining: number | null;
  readonly resetSeconds: number | null;
}

export interface IetfLimits {
  readonly quotas: readonly IetfQuota[];
  /** The field that is no structured field (RFC 9651); null: none. */
  readonly malformed: string | null;
}

const names = ["ratelimit-policy", "ratelimit", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] as const;
const findNames = createFieldFinder(names);

type FieldName = (typeof names)[number];

/**
 * Reads `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). From draft 08 on they are lists of named quotas; in
 * draft 07 `RateLimit` is a dictionary; before, `RateLimit-Limit`, `-Remaining` and `-Reset` are fields of their own. null: none is there.
 */
export function readIetfLimits(headers: HeaderList): IetfLimits | null {
  if (findNames(headers).every((place) => place === fieldAbsent)) return null;
  let reading: FieldName = "ratelimit-policy";
  const textOf = (name: FieldName): string => {
    reading = name;
    return headerValues(headers, name).join(", ");
  };
  const itemsOf = (name: FieldName): readonly Item[] => {
    const text = textOf(name);
    return text === "" ? [] : parseList(text).filter(isItem);
  };
  try {
    const policies = itemsOf("ratelimit-policy");
    const text = textOf("ratelimit");
    if (isDictionary(text)) return { quotas: readDictionary(text, policies), malformed: null };
    if (text !== "") return { quotas: readNamed(itemsOf("ratelimit"), policies), malformed: null };
    const [limits, remaining, reset] = [itemsOf("ratelimit-limit"), itemsOf("ratelimit-remaining"), itemsOf("ratelimit-reset")];
    const own = [limits, remaining, reset].map(([item]) => numberOf(item?.[0]));
    // Drafts 01 and 02 append the policies to the limit: `60, 60;w=60, 5000;w=86400`.
    return { quotas: [readCurrent(own, [...policies, ...limits.slice(1)])], malformed: null };
  } catch {
    return { quotas: [], malformed: reading };
  }
}

const wordOf = (value: unknown): string | null =>
  value instanceof Token ? value.toString() : typeof value === "string" ? value : null;
const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
const isItem = (member: Item | InnerList | undefined): member is Item => member !== undefined && !Array.isArray(member[0]);

/** `limit=60, remaining=50, reset=5`, as draft 07 writes it. */
function isDictionary(text: string): boolean {
  return /^\s*(?:limit|remaining|reset)\s*=/.test(text);
}

function readDictionary(text: string, policies: readonly Item[]): readonly IetfQuota[] {
  const members = parseDictionary(text);
  const own = ["limit", "remaining", "reset"].map((name) => {
    const member = members.get(name);
    return isItem(member) ? numberOf(member[0]) : null;
  });
  return [readCurrent(own, policies)];
}

/** The one quota that fields without names describe: its window is known if a single policy has its limit. */
function readCurrent(
  [limit = null, remaining = null, resetSeconds = null]: readonly (number | null)[],
  policies: readonly Item[],
): IetfQuota {
  const windows = policies.filter(([value]) => value === limit).map(([, parameters]) => numberOf(parameters.get("w")));
  const [windowSeconds = null] = new Set(windows).size === 1 ? windows : [];
  return { limit, windowSeconds, unit: "requests", remaining, resetSeconds };
}

/** `"minute";q=60;w=60` with `"minute";r=50;t=5`, as drafts from 08 on write it. */
function readNamed(limits: readonly Item[], policies: readonly Item[]): readonly IetfQuota[] {
  return policies.map(([value, stated]) => {
    const name = wordOf(value);
    const left = limits.find(([other]) => name !== null && wordOf(other) === name)?.[1];
    return {
      limit: numberOf(stated.get("q")),
      windowSeconds: numberOf(stated.get("w")),
      unit: unitOf(wordOf(stated.get("qu"))),
      remaining: numberOf(left?.get("r")),
      resetSeconds: numberOf(left?.get("t")),
    };
  });
}

function unitOf(word: string | null): string {
  if (word === null || word === "request") return "requests";
  return word === "token" ? "tokens" : word;
}
