import { restoreSettings, type RestoreTools } from "./restore-settings.ts";
import { settingsRoute } from "./settings-address.ts";
import { declaredSettings } from "./settings-journal.ts";
import type { Manifest } from "../core/manifest.ts";

/** Which settings somebody is about to change, and with which key of the manifest. */
export interface SettingsChange {
  /** `key:NAME` or `account`. */
  readonly subject: string;
  readonly by: string;
  /** Those that will change; null: all that the manifest declares. */
  readonly members: readonly string[] | null;
}

/** A target was to be changed that the manifest does not say how to put back: a fault of ours, found before anything is sent. */
export class UndeclaredSettingsError extends Error {}

/**
 * Runs `during`, which may change the settings of the subject, and puts the declared values back afterwards, also when it
 * throws or is aborted. The journal knows of them before `during` begins.
 */
export async function changeSettings(
  { subject, by, members }: SettingsChange,
  tools: RestoreTools & { readonly manifest: Manifest },
  during: () => Promise<void>,
): Promise<void> {
  const { manifest, journal } = tools;
  const route = settingsRoute(manifest, subject);
  const settings = declaredSettings(manifest, subject, members);
  if (route === null || settings === null) {
    throw new UndeclaredSettingsError(
      `settings of ${subject} would be changed, and the manifest does not say how to put them back`,
    );
  }
  const entry = { subject, baseUrl: manifest.target.baseUrl, path: route.path, by, settings };
  journal.record(entry);
  try {
    await during();
  } finally {
    await restoreSettings(entry, tools);
  }
}
