import type { Exchange } from "../exchange.ts";
import { singleHeader } from "./header-list.ts";

const longest = 80;

/** The software that an answer names in its header Server; null: it names none. */
export function serverName({ response }: Exchange): string | null {
  const name = response === null ? null : singleHeader(response.headers, "server");
  return name === null || name.trim() === "" ? null : name.slice(0, longest);
}
