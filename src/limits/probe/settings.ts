import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { changeSettings } from "../../settings/change-settings.ts";
import { keyOfSubject, settingsRoute } from "../../settings/settings-address.ts";
import { declaredSettings, type Settings } from "../../settings/settings-journal.ts";
import { adminFor } from "./exam-keys.ts";
import type { ProbeTools } from "./probe-tools.ts";

/** Whether the manifest lets assay change this subject (`key:NAME` or `account`) and says how to put it back. */
export function mayChange({ manifest }: Pick<ProbeTools, "manifest">, subject: string, members: readonly string[]): boolean {
  const before = declaredSettings(manifest, subject);
  const addressable = settingsRoute(manifest, subject) !== null;
  return manifest.permissions.patchSettings && addressable && before !== null && members.every((member) => member in before);
}

/** Ways to change the settings of one subject. */
export interface SettingsChanges {
  readonly change: (settings: Settings) => Promise<Exchange>;
  /** Sends several changes at once, of different members each: none of them may be lost. */
  readonly changeAtOnce: (changes: readonly Settings[]) => Promise<void>;
}

/** Changes settings for as long as `during` lasts; they are put back whatever happens. */
export async function withSettings(
  tools: ProbeTools,
  subject: string,
  members: readonly string[],
  during: (changes: SettingsChanges) => Promise<void>,
): Promise<void> {
  const { manifest, sender, clock, journal, onProgress } = tools;
  const by = presenterFor(manifest, subject);
  const stage = {
    stage: "limits",
    caseId: "limits/settings",
    manifest,
    sender,
    clock,
    journal,
    onProgress,
    onExchange: (exchange: Exchange) => tools.keep(exchange),
  } as const;
  const requestOf = (settings: Settings): SendRequest => {
    const route = settingsRoute(manifest, subject);
    if (route === null) throw new Error(`the manifest holds no id for ${subject}`);
    return {
      ...route,
      stage: "limits",
      caseId: "limits/settings",
      label: `change ${subject}`,
      // The smallest lawful value is not stated.
      intent: { kind: "housekeeping", purpose: `change settings of ${subject}`, answers: ["2xx", 400, 422] },
      credential: { kind: "bearer", key: by },
      body: { kind: "json", value: settings },
      signal: tools.signal,
    };
  };
  await changeSettings({ subject, by, members }, stage, () =>
    during({
      change: async (settings) => tools.sendExchange(requestOf(settings)),
      changeAtOnce: (changes) => tools.sendAtOnce(changes.map(requestOf)),
    }),
  );
}

/** The account is that of the keys whose caps are examined, where the manifest names its administrator. */
function presenterFor(manifest: Manifest, subject: string): string {
  const key = keyOfSubject(subject);
  if (key !== null) return adminFor(manifest, key);
  return adminFor(manifest, manifest.keys["spendAdmin"] === undefined ? "admin" : "spendA");
}
