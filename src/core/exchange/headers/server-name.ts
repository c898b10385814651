import type { Exchange } from "../exchange.ts";
import { singleHeader } from "./header-list.ts";

const longest = 80;

/** What an answer says of the software that gave it, in its header Server; null where it does not say. */
export function serverName({ response }: Exchange): string | null {
  const name = response === null ? null : singleHeader(response.headers, "server");
  return name === null || name.trim() === "" ? null : name.slice(0, longest);
}
