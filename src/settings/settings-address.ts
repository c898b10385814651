import { endpoints } from "../core/exchange/endpoint.ts";
import type { Manifest } from "../core/manifest.ts";
import type { SendRequest } from "../core/exchange/send-request.ts";

/** The PATCH that changes a subject's settings, without its body; null where the manifest does not name its id. */
export function settingsRoute(
  manifest: Pick<Manifest, "keys">,
  subject: string,
): Pick<SendRequest, "endpoint" | "method" | "path"> | null {
  const account = endpoints["account-settings"];
  if (subject === "account") return { endpoint: "account-settings", method: account.method, path: account.path };
  const id = manifest.keys[subject.slice("key:".length)]?.id;
  if (id == null) return null;
  const { method, path } = endpoints["key-settings"];
  return { endpoint: "key-settings", method, path: path.replace("{key_id}", encodeURIComponent(id)) };
}
