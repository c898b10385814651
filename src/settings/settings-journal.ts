import { keyOfSubject } from "./settings-address.ts";
import type { Manifest } from "../core/manifest.ts";

export type Settings = Readonly<Record<string, number | null>>;

/** Settings of a target that were changed, or are about to be, and have to be put back. */
export interface PendingSettings {
  /** `key:NAME` or `account`. */
  readonly subject: string;
  readonly baseUrl: string;
  /** Path of the PATCH that puts them back: it holds even where a later manifest calls another key by this name. */
  readonly path: string;
  /** Name in the manifest of the key that presents the PATCH; a manifest may hold keys of several accounts. */
  readonly by: string;
  /** The values to put back. */
  readonly settings: Settings;
}

/** Knows what is still to be put back, so that a crash leaves a trace. */
export interface SettingsJournal {
  /** Before the first change is sent; throws where it could not be kept, and then nothing may be changed. */
  record(entry: PendingSettings): void;
  /** After the values were put back. */
  complete(entry: PendingSettings): void;
}

/** A journal that can be asked. */
export interface ReadableJournal extends SettingsJournal {
  /** The settings that this run left changed. */
  own(): readonly PendingSettings[];
  /** The settings that runs that died left changed. */
  inherited(): readonly PendingSettings[];
  /** The faults of files of runs that died: they cannot be read, and nobody knows the settings in them. */
  readonly problems: readonly string[];
}

/** For a target that ends with the run: there is nobody to put anything back for. */
export function createMemoryJournal(): ReadableJournal {
  let entries: readonly PendingSettings[] = [];
  return {
    record: (entry) => {
      entries = [...entries.filter((one) => !isSameSubject(one, entry)), entry];
    },
    complete: (entry) => {
      entries = entries.filter((one) => !isSameSubject(one, entry));
    },
    own: () => entries,
    inherited: () => [],
    problems: [],
  };
}

export function isSameSubject(one: PendingSettings, other: PendingSettings): boolean {
  return one.subject === other.subject && one.path === other.path && isSameTarget(one.baseUrl, other.baseUrl);
}

/** Addresses that differ in a closing slash name the same target. */
export function isSameTarget(one: string, other: string): boolean {
  const bare = (url: string): string => url.replace(/\/+$/, "");
  return bare(one) === bare(other);
}

/** Values that the manifest says to restore, those of `members` only where they are given; null where it says nothing. */
export function declaredSettings(
  { restore }: Pick<Manifest, "restore">,
  subject: string,
  members: readonly string[] | null = null,
): Settings | null {
  const key = keyOfSubject(subject);
  const declared = key === null ? restore.account : restore.keys[key];
  if (declared == null) return null;
  const known = Object.entries(declared).filter((entry): entry is [string, number | null] => entry[1] !== undefined);
  return Object.fromEntries(known.filter(([member]) => members === null || members.includes(member)));
}
