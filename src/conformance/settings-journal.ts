import { endpoints } from "../core/endpoint.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Sender, SendRequest } from "../core/send-request.ts";

/** Settings of the target that still have to be put back. */
export interface PendingSettings {
  /** `key:NAME` or `account`. */
  readonly subject: string;
  readonly settings: Readonly<Record<string, number | null>>;
}

/** Where pending restores are kept; the run layer writes them to the disk, so that a crash leaves a trace. */
export interface SettingsJournal {
  /** Before the first change. */
  record(entry: PendingSettings): void;
  /** After the values were put back. */
  complete(subject: string): void;
}

/** The PATCH that puts declared values back; null when the manifest no longer names the key or its id. */
export function restoreRequest(entry: PendingSettings, manifest: Manifest, caseId: string): Omit<SendRequest, "label"> | null {
  const account = entry.subject === "account";
  const id = account ? null : manifest.keys[entry.subject.slice("key:".length)]?.id;
  if (!account && id == null) return null;
  const endpoint = account ? "account-settings" : "key-settings";
  return {
    stage: "setup",
    caseId,
    intent: { kind: "housekeeping", purpose: "restore settings" },
    endpoint,
    method: endpoints[endpoint].method,
    path: account ? endpoints[endpoint].path : endpoints[endpoint].path.replace("{key_id}", encodeURIComponent(id ?? "")),
    credential: { kind: "bearer", key: manifest.keys["admin"] === undefined ? "primary" : "admin" },
    body: { kind: "json", value: entry.settings },
  };
}

/** Finishes what a crashed run left behind; returns the subjects that could not be restored. */
export async function restorePending(
  entries: readonly PendingSettings[],
  { manifest, sender, journal }: { readonly manifest: Manifest; readonly sender: Sender; readonly journal: SettingsJournal },
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const entry of entries) {
    const request = restoreRequest(entry, manifest, "restore-pending");
    const exchange = request === null ? null : await sender.send({ ...request, label: entry.subject });
    const status = exchange?.response?.status ?? 0;
    if (status >= 200 && status < 300) journal.complete(entry.subject);
    else left.push(entry.subject);
  }
  return left;
}
