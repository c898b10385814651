import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";

/** An account that cannot pay was let in where it may be: billing is exempt, and a report of what was used may be a part of it (AMB-44). */
export function mayBeBilling({ endpoint, isSuccess }: ExchangeFacts): boolean {
  return endpoint === "usage" && isSuccess;
}
