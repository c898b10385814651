import type { Exchange } from "../../core/exchange/exchange.ts";
import { parseRecordedJson } from "../../core/exchange/bodies/recorded-json.ts";
import type { Finding } from "../../core/result/finding.ts";

const fieldNames = /\b(?:x-ratelimit-[a-z-]+|retry-after|content-type|www-authenticate)\b/i;

/**
 * The bytes of an answer that a finding is about: the header fields that its words name, else the object that its words point into, else
 * the beginning of the body. null where there was no answer.
 */
export function answerExcerpt({ message, expected, observed }: Finding, { response, failure }: Exchange): string | null {
  if (response === null) return failure === null ? null : failure.message;
  const words = `${message} ${expected} ${observed}`;
  const [named] = fieldNames.exec(words) ?? [];
  if (named !== undefined) {
    const family = named.toLowerCase().startsWith("x-ratelimit") ? "x-ratelimit" : named.toLowerCase();
    const fields = response.headers.filter(([name]) => name.toLowerCase().startsWith(family));
    return `${response.status} ${fields.length === 0 ? `no field ${family}` : fields.map((field) => field.join(": ")).join("; ")}`;
  }
  const text = response.body?.text ?? "";
  const pointer = /(?:^|\s)((?:\/[\w.-]+)+)(?=\s|$|:)/.exec(message)?.[1] ?? "";
  const json = parseRecordedJson(response.body);
  const part = pointer === "" || !json.ok ? undefined : innermost(json.value, pointer.slice(1).split("/"));
  return `${response.status} ${part === undefined ? text : JSON.stringify(part)}`;
}

/** The object or list that holds the member of a pointer, or the innermost one on the way to it; undefined where there is none. */
function innermost(value: unknown, names: readonly string[]): unknown {
  let [holder, current]: [unknown, unknown] = [undefined, value];
  for (const name of names) {
    if (typeof current !== "object" || current === null) break;
    holder = current;
    current = (current as Readonly<Record<string, unknown>>)[name];
  }
  return holder;
}
