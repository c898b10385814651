import type { SeenCall } from "../../../http/seen-call.ts";
import { wholeNumbersOf } from "../whole-numbers-of.ts";

/** A change of settings that is refused and carried out: what of it can be read is applied to the key in the path. */
export function executeRefusedChange({ service, request }: SeenCall): void {
  const { keys } = service.engine;
  const { key_id: id } = request.params as { readonly key_id?: string };
  const key = keys.byId(id ?? "");
  if (key !== undefined) keys.put({ ...key, settings: { ...key.settings, ...wholeNumbersOf(request.body) } });
}
