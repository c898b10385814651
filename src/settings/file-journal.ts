import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../core/exchange/bodies/recorded-json.ts";
import { isSameSubject, type PendingSettings, type ReadableJournal, type Settings } from "./settings-journal.ts";

/** One file of the journal: what one process left changed. */
interface JournalFile {
  readonly schemaVersion: "1.0";
  readonly process: ProcessIdentity;
  readonly pending: readonly PendingSettings[];
}

interface ProcessIdentity {
  readonly pid: number;
  /** Says a process from a later one of the same number; `unknown` where the system does not say. */
  readonly started: string;
}

const unknownStart = "unknown";
const namePattern = /^\.pending-restore-(\d+)\.json(\.new)?$/;

/**
 * Keeps what is still to be put back in one file a process below the folder of runs; a file exists only while something is
 * pending. Changes of another run that is still going are its own to put back: doing it for that run would spoil its
 * measurement. A file is written aside and renamed, so that a process killed at any instant leaves a whole one: either the one
 * before, and then the change was not sent, or the new one. `startedOf` says when a process of a number began: null for one
 * that does not exist, `unknown` where the system does not say.
 */
export function createFileJournal(
  folder: string,
  startedOf: (pid: number) => string | null = processStart,
): ReadableJournal & { readonly file: string } {
  const self: ProcessIdentity = { pid: process.pid, started: startedOf(process.pid) ?? unknownStart };
  const file = fileOf(folder, self.pid);
  const problems: string[] = [];
  const found: JournalFile[] = [];
  let own: readonly PendingSettings[] = [];

  /** Whether the process that wrote a file is still there to put things back itself. */
  const isRunning = ({ pid, started }: ProcessIdentity): boolean => {
    if (pid === self.pid) return false;
    const now = startedOf(pid);
    return now !== null && (now === started || [now, started].includes(unknownStart));
  };
  for (const { name, pid, aside } of listFiles(folder)) {
    const path = join(folder, name);
    if (aside) {
      // Left by a process that was killed before the rename: what it would have said was not acted upon.
      if (!isRunning({ pid, started: unknownStart })) rmSync(path, { force: true });
      continue;
    }
    const read = readJournalFile(path, pid);
    if (typeof read === "string") problems.push(read);
    else if (!isRunning(read.process)) found.push(read);
  }
  let inherited: readonly JournalFile[] = found;
  /** Entries that a former process of our number left go on in our file. */
  const persistOwn = (): void => {
    const before = inherited.filter((one) => one.process.pid === self.pid).flatMap((one) => one.pending);
    writeJournalFile(folder, { schemaVersion: "1.0", process: self, pending: [...before, ...own] });
  };
  const without = (entries: readonly PendingSettings[], entry: PendingSettings): readonly PendingSettings[] =>
    entries.filter((one) => !isSameSubject(one, entry));
  return {
    file,
    problems,
    own: () => own,
    inherited: () => inherited.flatMap((one) => one.pending),
    record: (entry) => {
      own = [...without(own, entry), entry];
      try {
        persistOwn();
      } catch (error) {
        own = without(own, entry);
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`no setting is changed, because the values to restore cannot be saved: ${reason}`, { cause: error });
      }
    },
    complete: (entry) => {
      const changed = inherited.filter((one) => without(one.pending, entry).length < one.pending.length);
      inherited = inherited.map((one) => (changed.includes(one) ? { ...one, pending: without(one.pending, entry) } : one));
      own = without(own, entry);
      try {
        for (const { process: owner } of changed) {
          const rest = inherited.find((one) => one.process === owner);
          if (rest !== undefined && owner.pid !== self.pid) writeJournalFile(folder, rest);
        }
        persistOwn();
      } catch {
        // The older file stays: what it asks for is put back once more, which changes nothing.
      }
    },
  };
}

function fileOf(folder: string, pid: number): string {
  return join(folder, `.pending-restore-${pid}.json`);
}

function writeJournalFile(folder: string, content: JournalFile): void {
  const file = fileOf(folder, content.process.pid);
  if (content.pending.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  // Not `recursive`: Node's own never returns where nothing can be made, as below /proc. A run has made what is above.
  if (!existsSync(folder)) mkdirSync(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

interface ListedFile {
  readonly name: string;
  readonly pid: number;
  readonly aside: boolean;
}

function listFiles(folder: string): readonly ListedFile[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const match = namePattern.exec(name);
      return match ? [{ name, pid: Number(match[1]), aside: match[2] !== undefined }] : [];
    });
  } catch {
    // No run has been here yet.
    return [];
  }
}

/** The content of a file, or its fault. */
function readJournalFile(path: string, pid: number): JournalFile | string {
  const trouble = (reason: string): string =>
    `${path} says which settings an earlier run left changed, and cannot be read (${reason}): put them back by hand, then delete the file`;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return trouble(error instanceof Error ? error.message : String(error));
  }
  if (!isJsonObject(value) || value["schemaVersion"] !== "1.0" || !Array.isArray(value["pending"])) {
    return trouble("it is of another version of assay");
  }
  const pending = (value["pending"] as readonly unknown[]).map(readEntry);
  if (pending.some((entry) => entry === null)) return trouble("an entry is incomplete");
  const owner = isJsonObject(value["process"]) ? value["process"] : {};
  const started = typeof owner["started"] === "string" ? owner["started"] : unknownStart;
  return { schemaVersion: "1.0", process: { pid, started }, pending: pending.filter((entry) => entry !== null) };
}

function readEntry(value: unknown): PendingSettings | null {
  if (!isJsonObject(value)) return null;
  const { subject, baseUrl, path, by, settings } = value;
  if (typeof subject !== "string" || typeof baseUrl !== "string" || typeof path !== "string" || typeof by !== "string")
    return null;
  if (!path.startsWith("/") || path.startsWith("//") || !isJsonObject(settings)) return null;
  if (!Object.values(settings).every((one) => one === null || typeof one === "number")) return null;
  return { subject, baseUrl, path, by, settings: settings as Settings };
}

/** Numbers of processes are used again, in containers within seconds: on Linux the kernel says when each began. */
function processStart(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process exists, though it is not ours to signal.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return null;
  }
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // Field 22, counted behind the name of the command, which may hold blanks and brackets (proc_pid_stat(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? unknownStart : `${boot}/${ticks}`;
  } catch {
    return unknownStart;
  }
}
