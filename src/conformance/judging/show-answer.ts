import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";

const charactersShown = 120;

/** The answer in a line: status, media type, coding, Location, size and first bytes. */
export function showAnswer(exchange: ExchangeFacts): string {
  const { response, failure } = exchange;
  if (response === null) return `no answer (${failure?.kind ?? "nothing arrived"})`;
  const { headers, body, stream, status } = response;
  const type = headerValues(headers, "content-type").join(" | ");
  const coding = headerValues(headers, "content-encoding").join(", ");
  const location = headerValues(headers, "location").join(" | ");
  const parts = [
    String(status),
    type === "" ? "no Content-Type" : shorten(type),
    ...(coding === "" ? [] : [`Content-Encoding ${shorten(coding)}`]),
    ...(location === "" ? [] : [`Location ${shorten(location)}`]),
    stream === null ? showBody(body) : `${stream.events.length} events in ${stream.bytes} bytes`,
    ...(failure === null ? [] : [`then ${failure.kind}`]),
  ];
  return parts.join(", ");
}

function showBody(body: NonNullable<ExchangeFacts["response"]>["body"]): string {
  if (body === null) return "a body that was not kept";
  const { bytes, text, base64 = "" } = body;
  if (bytes === 0) return "an empty body";
  if (text !== undefined) return `${bytes} bytes: ${nameUnseen(text.slice(0, charactersShown))}`;
  return base64 === "" ? `${bytes} bytes` : `${bytes} bytes: ${showBytes(base64)}`;
}

const bytesShown = 24;

/** `7b 22 ff 22`, as tools that show bytes write them. */
function showBytes(base64: string): string {
  const binary = atob(base64.slice(0, 4 * Math.ceil(bytesShown / 3)));
  return Array.from(binary, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")).join(" ");
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const names: Readonly<Record<string, string>> = {
  "\u0000": "NUL",
  "\t": "TAB",
  "\n": "LF",
  "\r": "CR",
  "\u001B": "ESC",
  "\uFEFF": "byte order mark EF BB BF",
  "\u200B": "zero width space",
};

/** Characters that nobody sees are named: they are often what is wrong. */
export function nameUnseen(text: string): string {
  return text.replace(unseen, (character) => `<${names[character] ?? `U+${hex(character)}`}>`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

function shorten(text: string): string {
  const shown = nameUnseen(text);
  return shown.length > charactersShown ? `${shown.slice(0, charactersShown)}...` : shown;
}
