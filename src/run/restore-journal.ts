import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
  /** After the setting was put back; `baseUrl` where several targets are pending, else whatever this run recorded. */
  complete(subject: string, baseUrl?: string): void;
  /** What this run and runs that have died left changed. */
  pending(): readonly PendingRestore[];
}

const namePattern = /^\.pending-restore-(\d+)\.json$/;

/**
 * Keeps what is still to be restored in one file a process; a file exists only while something is pending. What another run
 * that is still going has changed is its own to put back: doing it for that run would spoil what it measures.
 */
export function createRestoreJournal(outDir: string, isAlive: (pid: number) => boolean = isProcessAlive): RestoreJournal {
  const ownFile = join(outDir, `.pending-restore-${process.pid}.json`);
  const files = new Map<string, PendingRestore[]>(
    listNames(outDir).flatMap((name) => {
      const pid = Number(namePattern.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) return [];
      const file = join(outDir, name);
      return [[file, JSON.parse(readFileSync(file, "utf8")) as PendingRestore[]]];
    }),
  );
  const persist = (file: string, entries: PendingRestore[]): void => {
    files.set(file, entries);
    if (entries.length === 0) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(outDir, { recursive: true });
    // Renamed into place: a process that is killed while it writes must not leave half a journal.
    writeFileSync(`${file}.new`, `${JSON.stringify(entries, null, 2)}\n`, { flush: true });
    renameSync(`${file}.new`, file);
  };
  return {
    record: (entry) => {
      const others = (files.get(ownFile) ?? []).filter((one) => one.subject !== entry.subject || one.baseUrl !== entry.baseUrl);
      persist(ownFile, [...others, entry]);
    },
    complete: (subject, baseUrl) => {
      for (const [file, entries] of files) {
        const rest = entries.filter((one) => one.subject !== subject || (baseUrl ?? one.baseUrl) !== one.baseUrl);
        if (rest.length < entries.length && (baseUrl !== undefined || file === ownFile)) persist(file, rest);
      }
    },
    pending: () => [...files.values()].flat(),
  };
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process: alive, though not ours to signal.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
