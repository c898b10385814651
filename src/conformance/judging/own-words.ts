import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";

const longest = 200;
const members = ["message", "detail", "error", "title", "reason", "msg", "description"] as const;

/** The words of a server on its refusal, whatever shape they have; null if there are none. */
export function ownWords(exchange: ExchangeFacts): string | null {
  const json = exchange.peekBody();
  const words = json.ok ? findWords(json.value, 3) : plainText(exchange);
  const shown = words?.replaceAll(/\s+/g, " ").trim() ?? "";
  return shown === "" ? null : shown.length > longest ? `${shown.slice(0, longest)}...` : shown;
}

function findWords(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return findWords(value[0], depth - 1);
  if (!isJsonObject(value)) return null;
  for (const name of ["error", ...members]) {
    const found = value[name] === undefined ? null : findWords(value[name], depth - 1);
    if (found !== null) return found;
  }
  const { code } = value;
  return typeof code === "string" ? code : null;
}

/** A page without its marks: the first words of it name the server that wrote it. */
function plainText({ response }: ExchangeFacts): string {
  const text = (response?.body?.text ?? "").slice(0, 4000);
  return text.replaceAll(/<(script|style)\b[^>]*>[^]*?<\/\1>/gi, " ").replaceAll(/<[^>]*>/g, " ");
}
