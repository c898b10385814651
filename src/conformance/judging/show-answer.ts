import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { RecordedStream } from "../../core/exchange/exchange.ts";
import { nameUnseen } from "../../core/name-unseen.ts";
import { showUnreadable } from "./show-unreadable.ts";

const charactersShown = 120;

/** The answer in a line: status, media type, coding, Location, size and first bytes. */
export function showAnswer(exchange: ExchangeFacts): string {
  const { response, failure } = exchange;
  if (response === null) return `no answer (${failure?.kind ?? "nothing arrived"}${showUnreadable(failure)})`;
  const { headers, body, stream, status } = response;
  const type = headerValues(headers, "content-type").join(" | ");
  const coding = headerValues(headers, "content-encoding").join(", ");
  const location = headerValues(headers, "location").join(" | ");
  const parts = [
    String(status),
    type === "" ? "no Content-Type" : shorten(type),
    ...(coding === "" ? [] : [`Content-Encoding ${shorten(coding)}`]),
    ...(location === "" ? [] : [`Location ${shorten(location)}`]),
    stream === null ? showBody(body) : showStream(stream),
    ...(failure === null ? [] : [`then ${failure.kind}`]),
  ];
  return parts.join(", ");
}

function showStream({ events, bytes, comments, beginning = "" }: RecordedStream): string {
  const size = `${countWords(events.length, "event")} in ${bytes} bytes`;
  const [first] = events;
  if (first !== undefined) return `${size}, the first ${shorten(first.data)}`;
  const others = comments === 0 ? "" : ` (${countWords(comments, "comment")})`;
  return `${size}${others}${beginning === "" ? "" : `: ${shorten(beginning)}`}`;
}

function countWords(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function showBody(body: NonNullable<ExchangeFacts["response"]>["body"]): string {
  if (body === null) return "a body that was not kept";
  const { bytes, text, base64 = "" } = body;
  if (bytes === 0) return "an empty body";
  if (text !== undefined) return `${bytes} bytes: ${shorten(text)}`;
  return base64 === "" ? `${bytes} bytes` : `${bytes} bytes: ${showBytes(base64)}`;
}

const bytesShown = 24;

/** Text of which some bytes are no UTF-8 with those named, `gr<F6>n`; all else as tools that show bytes write them, `1f 8b 08`. */
function showBytes(base64: string): string {
  const binary = atob(base64.slice(0, 4 * Math.ceil(charactersShown / 3)));
  const isText = binary.replaceAll(/[ -~\t\r\n]/g, "").length * 4 < binary.length;
  if (isText)
    return nameUnseen(binary.slice(0, charactersShown).replaceAll(/[\u0080-\u00ff]/g, (byte) => `<${hex(byte).toUpperCase()}>`));
  return Array.from(binary.slice(0, bytesShown), hex).join(" ");
}

function hex(byte: string): string {
  return (byte.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
}

function shorten(text: string): string {
  const shown = nameUnseen(text.slice(0, charactersShown + 1));
  return shown.length > charactersShown ? `${shown.slice(0, charactersShown)}...` : shown;
}
