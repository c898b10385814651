import type { RecordedBody } from "../exchange.ts";

/** A sequence that UTF-8 allows (RFC 3629 section 4), of bytes that are written as characters of the same number. */
const sequence =
  /(?:[^\u0080-\u00ff]|[\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00ed[\u0080-\u009f][\u0080-\u00bf]|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2})/y;
const before = 12;

/** The fault of bytes that are no UTF-8: what they are instead where their beginning shows it, else the first byte that does not fit. */
export function describeNotUtf8(
  { base64 = "", bytes }: RecordedBody,
  named: { readonly coding: string; readonly charset: string },
): string {
  const binary = atob(base64.slice(0, 4 * Math.floor(base64.length / 4)));
  if (binary.startsWith("\u001f\u008b") && named.coding === "") return "the body is gzip, and no Content-Encoding says so";
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(binary))
    return "the body is UTF-16, and JSON between systems is UTF-8 (RFC 8259 section 8.1)";
  const charset = named.charset === "" ? "" : `; its Content-Type names ${named.charset}, which JSON does not have`;
  const at = firstMisfit(binary);
  // The beginning that is kept may end inside of a character.
  if (at === null || (binary.length < bytes && at > binary.length - 4)) return `the body is not UTF-8${charset}`;
  const byte = (binary.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(2, "0");
  const readable = binary.slice(Math.max(at - before, 0), at).replaceAll(/[^ -~]/g, "?");
  return `the body is not UTF-8: byte ${at + 1} is ${byte}${at === 0 ? "" : `, behind \`${readable}\``}${charset}`;
}

function firstMisfit(binary: string): number | null {
  let at = 0;
  while (at < binary.length) {
    sequence.lastIndex = at;
    if (!sequence.test(binary)) return at;
    at = sequence.lastIndex;
  }
  return null;
}
