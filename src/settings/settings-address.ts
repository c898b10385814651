import { endpoints } from "../core/exchange/endpoint.ts";
import type { ManifestFacts } from "../core/manifest.ts";
import type { SendRequest } from "../core/exchange/send-request.ts";

/** The manifest name of the key that a subject (`key:NAME` or `account`) is; null: the account. */
export function keyOfSubject(subject: string): string | null {
  return subject.startsWith(keyMark) ? subject.slice(keyMark.length) : null;
}

const keyMark = "key:";

/** The PATCH that changes a subject's settings, without its body; null where the manifest does not name its id. */
export function settingsRoute(
  manifest: Pick<ManifestFacts, "keys">,
  subject: string,
): Pick<SendRequest, "endpoint" | "method" | "path"> | null {
  const account = endpoints["account-settings"];
  const key = keyOfSubject(subject);
  if (key === null) return { endpoint: "account-settings", method: account.method, path: account.path };
  const id = manifest.keys[key]?.id;
  if (id == null) return null;
  const { method, path } = endpoints["key-settings"];
  return { endpoint: "key-settings", method, path: path.replace("{key_id}", encodeURIComponent(id)) };
}
