import type { SeenCall } from "../../../http/seen-call.ts";
import { wholeNumbersOf } from "../whole-numbers-of.ts";

/** A change of settings that is refused and carried out: what of it can be read is applied to the key in the path, or to the account. */
export function executeRefusedChange({ service, request, endpoint }: SeenCall): void {
  const { keys } = service.engine;
  if (endpoint === "account-settings") {
    const cap = /"account_spend_cap"\s*:\s*"?(\d+)/.exec(String(request.body))?.[1];
    const account = keys.byName("admin")?.account;
    if (cap === undefined || account === undefined) return;
    keys.putAccount({ ...keys.account(account), account_spend_cap: Number(cap) });
    return;
  }
  const { key_id: id } = request.params as { readonly key_id?: string };
  const key = keys.byId(id ?? "");
  if (key !== undefined) keys.put({ ...key, settings: { ...key.settings, ...wholeNumbersOf(request.body) } });
}
