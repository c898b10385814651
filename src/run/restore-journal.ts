import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A changed setting of a target that has to be put back. */
export interface PendingRestore {
  /** `key:NAME` or `account`. */
  readonly subject: string;
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, number | null>>;
}

export interface RestoreJournal {
  /** Before a setting is changed: written through to the disk, so that a crash leaves a trace. */
  record(entry: PendingRestore): void;
  /** After the setting was put back. */
  complete(subject: string): void;
  pending(): readonly PendingRestore[];
}

/** Keeps what is still to be restored in one file; the file exists only while something is pending. */
export function createRestoreJournal(file: string): RestoreJournal {
  const entries = new Map<string, PendingRestore>(
    existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as PendingRestore[]).map((entry) => [entry.subject, entry]) : [],
  );
  const persist = (): void => {
    if (entries.size === 0) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify([...entries.values()], null, 2)}\n`, { flush: true });
  };
  return {
    record: (entry) => {
      entries.set(entry.subject, entry);
      persist();
    },
    complete: (subject) => {
      if (entries.delete(subject)) persist();
    },
    pending: () => [...entries.values()],
  };
}
