import { nameUnseen } from "../../name-unseen.ts";
import type { RecordedBody } from "../exchange.ts";
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
