import { type EndpointId, specifiedEndpoints } from "../endpoint.ts";
import type { RecordedResponse, UnreadBody, RecordedBody } from "../exchange.ts";
import { headerValues } from "../headers/header-list.ts";
import { describeNotUtf8 } from "./describe-not-utf8.ts";
import type { JsonProblem, RecordedJson } from "./recorded-json.ts";
import { nameUnseen } from "../../name-unseen.ts";
import { findJsonFault } from "./find-json-fault.ts";

const before = 16;
const behind = 40;

/** The fault of a body that is no JSON, with the characters at its place; names the usual causes. */
export function describeMalformed({ text = "", unread }: RecordedBody, coding: string): string {
  // A body that is not here whole was looked at when it passed.
  if (typeof unread?.malformed === "string") return unread.malformed;
  if (text.codePointAt(0) === 0xfeff)
    return "the body begins with a byte order mark (EF BB BF), which RFC 8259 section 8.1 forbids";
  if (/^\s*<(?:!doctype|html|\?xml|head|body|h1)\b/i.test(text)) return "the body is a page of HTML or XML, not JSON";
  if (/^(?:\0[ -~]|[ -~]\0){4}/.test(text)) return "the body is UTF-16, and JSON between systems is UTF-8 (RFC 8259 section 8.1)";
  const fault = findJsonFault(text);
  if (fault === null) return "the body is not JSON";
  const { at, kind } = fault;
  const seen = (from: number, to: number): string => `\`${nameUnseen(text.slice(Math.max(from, 0), to))}\``;
  if (kind === "cut")
    return `the JSON is cut: it ends behind ${seen(at - behind, at)}${coding === "" ? "" : `, as unpacked from ${coding}`}`;
  if (kind === "behind") {
    const left = text.length - at;
    return `the JSON is whole, and ${left} more character${left === 1 ? " stands" : "s stand"} behind it: ${seen(at, at + behind)}`;
  }
  return at === 0
    ? `the body is not JSON from its first character on: ${seen(0, behind)}`
    : `the body is not JSON from character ${at + 1} on, behind ${seen(at - before, at)}: ${seen(at, at + behind)}`;
}

/** The reason for which the content of an answer that arrived cannot be read. */
export interface Obstacle {
  /** Of the target: the answer is broken. Else a bound of ours is in the way, and nothing is known of the content. */
  readonly isFault: boolean;
  /** Slug, the same for all of its kind. */
  readonly cause: JsonProblem;
  /** `the body is not gzip, although Content-Encoding says so` */
  readonly words: string;
}

interface ReadAnswer {
  readonly response: RecordedResponse | null;
  readonly endpoint: EndpointId | null;
  readonly isSuccess: boolean;
  /** Its body, read. */
  readonly json: RecordedJson;
}

/** Operations whose success carries what was asked for: others are only named. */
function hasContent(endpoint: EndpointId | null): boolean {
  return specifiedEndpoints.some((one) => one === endpoint);
}

/**
 * The reason for which the content of an answer cannot be read as JSON; null where nothing does, and where there is no content by right: without
 * an answer, with a stream of events, after a change of settings, and after a 204 of an operation that is only named.
 */
export function findObstacle({ response, endpoint, isSuccess, json }: ReadAnswer): Obstacle | null {
  const body = response?.body;
  if (response == null || response.stream !== null || body == null) return null;
  if (json.ok || json.problem === "no-body") return null;
  const { problem, error } = json;
  const isSettings = endpoint === "key-settings" || endpoint === "account-settings";
  if (problem === "empty" && ((isSettings && isSuccess) || (response.status === 204 && !hasContent(endpoint)))) return null;
  const coding = headerValues(response.headers, "content-encoding").join(", ").slice(0, 60);
  const words: Readonly<Record<typeof problem, () => string>> = {
    empty: () => "the body is empty",
    coding: () => `the body is not ${coding}, although Content-Encoding says so`,
    "unknown-coding": () => `Content-Encoding is ${coding}, which the request did not ask for`,
    "not-utf8": () => describeNotUtf8(body, { coding, charset: charsetOf(response) }),
    truncated: () => describeBound(body.bytes, body.unread?.cause),
    malformed: () => describeMalformed(body, coding),
    "beyond-bounds": () => `the body is JSON beyond bounds: ${error ?? ""}`,
  };
  return { isFault: problem !== "truncated", cause: problem, words: words[problem]() };
}

/** The character set that the media type names, where it is another than UTF-8. */
function charsetOf({ headers }: RecordedResponse): string {
  const [, charset = ""] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(headerValues(headers, "content-type").join(",")) ?? [];
  return /^utf-?8$/i.test(charset) ? "" : charset;
}

function describeBound(bytes: number, cause: UnreadBody["cause"] | undefined): string {
  const size = bytes < 1_000_000 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`;
  return cause === "room"
    ? `the run had no room left for a body of ${size}`
    : `a body of ${size} is longer than what is kept of one`;
}
