import type { Record } from "./recorded-over.ts";
import type { Script } from "./generated-response.ts";

/** Why the two clients may tell different things of an answer, and when: narrow enough to hide nothing else. */
interface Difference {
  readonly reason: string;
  applies(undici: Record, ours: Record, sent: string, end: Script["end"]): boolean;
}

const differences: readonly Difference[] = [
  {
    reason: "RFC 9112 section 8: what a reset ends is not known to be whole, although no length was reported",
    applies: (undici, ours, _sent, end) =>
      end === "rst" && undici.failure === null && ours.message === "the connection was reset before the body was complete",
  },
  {
    reason:
      "RFC 9112 section 6.3: an answer of 204 or 304 has no body, whatever length it states (lawful for 304: RFC 9110 section 8.6)",
    applies: (undici, ours) =>
      undici.message.includes("as long as Content-Length") && [204, 304].includes(ours.status ?? 0) && ours.failure === null,
  },
  {
    reason: "RFC 9112 section 9.6: the option close of an interim answer does not forbid the answer that follows it",
    applies: (undici) => undici.message.includes("Data after `Connection: close`"),
  },
  {
    reason: "RFC 9112 section 7.1.1: chunk extensions are ignored, and blanks may stand around them",
    applies: (undici, _ours, sent) =>
      undici.message.includes("in chunk extensions") ||
      (undici.message.includes("Invalid character in chunk size") && /^[\da-f]+[ \t]+;/im.test(sent)),
  },
  {
    reason: "RFC 9112 section 7.1.2: trailer fields may be discarded, also those that have no business there",
    applies: (undici) => undici.status !== null && undici.message.includes("Content-Length can't be present"),
  },
  {
    reason: "RFC 9112 section 9.3: options of a connection count whatever blanks stand beside them, and close before all others",
    applies: (undici, ours, sent) => {
      const closes = /^connection:(?:.*,)?[ \t]*close[ \t]*(?:[,\r]|$)/im.test(sent);
      const keeps = /^connection:.*\t.*$/im.test(sent) && /^connection:(?:.*,)?[ \t]*keep-alive[ \t]*(?:[,\r]|$)/im.test(sent);
      return isSame(undici, { ...ours, reused: undici.reused }) && (undici.reused ? closes : keeps && !closes);
    },
  },
  {
    reason: "RFC 9110 section 5.6.3: a tab behind a length or a coding is as blank as a space",
    applies: (_undici, _ours, sent) => /^(?:content-length|transfer-encoding):.*\t[ \t]*\r$/im.test(sent),
  },
  {
    reason: "RFC 9112 section 6.3: a length beside a coding is an error, also where the coding is an empty text",
    applies: (_undici, ours, sent) => ours.message.includes("contradicts itself") && /^transfer-encoding:[ \t]*\r$/im.test(sent),
  },
  {
    reason:
      "RFC 9112 section 4: a status line ends in one CR and one LF; llhttp takes some more before them, which no server sends",
    applies: (_undici, ours, sent) => ours.failure === "invalid-http" && /^HTTP\/\d\.\d \d{3}[^\r\n]*\r\r/m.test(sent),
  },
  {
    reason: "RFC 9110 section 15: a status below 100 is none; undici trips over it",
    applies: (undici, ours) => undici.message.includes("ERR_ASSERTION") && ours.message.includes("status line"),
  },
  {
    reason: "RFC 9110 section 15.2: a 100 Continue that nobody asked for is skipped; undici refuses it",
    applies: (undici) => undici.message.includes("100 Continue"),
  },
  {
    reason: "RFC 9110 section 15.2.2: nobody asked to switch protocols; undici trips over it where nothing says to which",
    applies: (undici, ours) => undici.message.includes("ERR_ASSERTION") && ours.message.includes("switches protocols"),
  },
];

/** The reason for a difference, an empty text where there is none, null where none is known. */
export function explainDifference(undici: Record, ours: Record, sent: string, end: Script["end"]): string | null {
  if (isSame(undici, ours)) return "";
  return differences.find((difference) => difference.applies(undici, ours, sent, end))?.reason ?? null;
}

function isSame(one: Record, other: Record): boolean {
  return JSON.stringify({ ...one, message: "" }) === JSON.stringify({ ...other, message: "" });
}
