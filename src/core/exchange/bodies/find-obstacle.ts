import type { EndpointId } from "../endpoint.ts";
import type { RecordedBody, RecordedResponse, UnreadBody } from "../exchange.ts";
import { headerValues } from "../headers/header-list.ts";
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

/**
 * The reason for which the content of an answer cannot be read as JSON; null where nothing does, and where there is no content by right: without
 * an answer, with a stream of events, after 204, and after a change of settings.
 */
export function findObstacle({ response, endpoint, isSuccess, json }: ReadAnswer): Obstacle | null {
  const body = response?.body;
  if (response == null || response.stream !== null || body == null) return null;
  if (json.ok || json.problem === "no-body") return null;
  const { problem, error } = json;
  const isSettings = endpoint === "key-settings" || endpoint === "account-settings";
  if (problem === "empty" && (response.status === 204 || (isSettings && isSuccess))) return null;
  const coding = headerValues(response.headers, "content-encoding").join(", ").slice(0, 60);
  const words: Readonly<Record<typeof problem, () => string>> = {
    empty: () => "the body is empty",
    coding: () => `the body is not ${coding}, although Content-Encoding says so`,
    "unknown-coding": () => `Content-Encoding is ${coding}, which the request did not ask for`,
    "not-utf8": () => "the body is not UTF-8",
    truncated: () => describeBound(body.bytes, body.unread?.cause),
    malformed: () => describeMalformed(body, error ?? ""),
    "beyond-bounds": () => describeMalformed(body, error ?? ""),
  };
  return { isFault: problem !== "truncated", cause: problem, words: words[problem]() };
}

/** Names the usual causes; the words of the parser stand for all others. */
function describeMalformed({ text = "", unread }: RecordedBody, error: string): string {
  if (text.codePointAt(0) === 0xfeff)
    return "the body begins with a byte order mark (EF BB BF), which RFC 8259 section 8.1 forbids";
  if (/^\s*<(?:!doctype|html|\?xml|head|body|h1)\b/i.test(text)) return "the body is a page of HTML or XML, not JSON";
  return unread?.malformed === error ? error : `the body is not JSON: ${error}`;
}

function describeBound(bytes: number, cause: UnreadBody["cause"] | undefined): string {
  const size = bytes < 1_000_000 ? `${bytes} bytes` : `${(bytes / 1e6).toFixed(1)} MB`;
  return cause === "room"
    ? `the run had no room left for a body of ${size}`
    : `a body of ${size} is longer than what is kept of one`;
}
