import { type EndpointId, specifiedEndpoints } from "../endpoint.ts";
import type { RecordedResponse, UnreadBody } from "../exchange.ts";
import { headerValues } from "../headers/header-list.ts";
import { describeMalformed } from "./describe-malformed.ts";
import { describeNotUtf8 } from "./describe-not-utf8.ts";
import type { JsonProblem, RecordedJson } from "./recorded-json.ts";

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
