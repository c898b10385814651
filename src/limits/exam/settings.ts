import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import { changeSettings } from "../../settings/change-settings.ts";
import { settingsRoute } from "../../settings/settings-address.ts";
import { declaredSettings, type Settings } from "../../settings/settings-journal.ts";
import { adminFor } from "./exam-keys.ts";
import type { ProbeTools } from "./probe-tools.ts";

/** Whether the manifest lets assay change this subject (`key:NAME` or `account`) and says how to put it back. */
export function mayChange({ manifest }: Pick<ProbeTools, "manifest">, subject: string, members: readonly string[]): boolean {
  const before = declaredSettings(manifest, subject);
  const addressable = settingsRoute(manifest, subject) !== null;
  return manifest.permissions.patchSettings && addressable && before !== null && members.every((member) => member in before);
}

/** Changes settings for as long as `during` lasts; they are put back whatever happens. */
export async function withSettings(
  tools: ProbeTools,
  subject: string,
  members: readonly string[],
  during: (change: (settings: Settings) => Promise<Exchange>) => Promise<void>,
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
  await changeSettings({ subject, by, members }, stage, () =>
    during(async (settings) => {
      const route = settingsRoute(manifest, subject);
      if (route === null) throw new Error(`the manifest holds no id for ${subject}`);
      return tools.sendExchange({
        ...route,
        stage: "limits",
        caseId: "limits/settings",
        label: `change ${subject}`,
        // The smallest lawful value is not stated.
        intent: { kind: "housekeeping", purpose: `change settings of ${subject}`, answers: ["2xx", 400, 422] },
        credential: { kind: "bearer", key: by },
        body: { kind: "json", value: settings },
        signal: tools.signal,
      });
    }),
  );
}

/** The account is that of the keys whose caps are examined, where the manifest names its administrator. */
function presenterFor(manifest: Manifest, subject: string): string {
  if (subject !== "account") return adminFor(manifest, subject.slice("key:".length));
  return adminFor(manifest, manifest.keys["spendAdmin"] === undefined ? "admin" : "spendA");
}
