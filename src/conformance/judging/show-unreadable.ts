import type { TransportFailure } from "../../core/exchange/exchange.ts";
import { nameUnseen } from "../../core/name-unseen.ts";

/** The bytes that are no HTTP, behind what is said of the failure; nothing where none were kept. */
export function showUnreadable(failure: TransportFailure | null): string {
  const unreadable = failure?.unreadable ?? "";
  return unreadable === "" ? "" : `, first bytes that cannot be read: ${nameUnseen(unreadable)}`;
}
