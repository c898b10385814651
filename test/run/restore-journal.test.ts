import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRestoreJournal } from "../../src/run/restore-journal.ts";

const entry = { subject: "key:burst", baseUrl: "http://127.0.0.1:1", settings: { burst_limit: 60, cooldown_seconds: null } };
const elsewhere = { ...entry, baseUrl: "http://127.0.0.1:2", settings: { burst_limit: 7 } };

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "assay-journal-"));
}

/** As if a process of this id had written its journal. */
function leave(folder: string, pid: number, entries: readonly unknown[]): void {
  writeFileSync(join(folder, `.pending-restore-${pid}.json`), JSON.stringify(entries));
}

describe("createRestoreJournal", () => {
  it("survives a crash: what was recorded and not completed is pending for the next run", () => {
    const folder = join(emptyFolder(), "deep");
    const journal = createRestoreJournal(folder);
    expect(journal.pending()).toEqual([]);
    journal.record(entry);
    journal.record({ ...entry, subject: "account", settings: { account_spend_cap: 100 } });
    journal.complete("account");
    expect(createRestoreJournal(folder).pending()).toEqual([entry]);
    expect(readdirSync(folder)).toEqual([`.pending-restore-${process.pid}.json`]);
    expect(JSON.parse(readFileSync(join(folder, `.pending-restore-${process.pid}.json`), "utf8"))).toEqual([entry]);
  });

  it("leaves no file when everything was put back", () => {
    const folder = emptyFolder();
    const journal = createRestoreJournal(folder);
    journal.record(entry);
    journal.complete("key:other");
    expect(readdirSync(folder)).toHaveLength(1);
    journal.complete("key:burst");
    expect(readdirSync(folder)).toEqual([]);
    expect(journal.pending()).toEqual([]);
  });

  it("takes over from runs that died, and keeps its hands off those that still go", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [entry]);
    leave(folder, 4002, [elsewhere]);
    const journal = createRestoreJournal(folder, (pid) => pid === 4002);
    expect(journal.pending()).toEqual([entry]);
    journal.complete(entry.subject, entry.baseUrl);
    expect(readdirSync(folder)).toEqual([".pending-restore-4002.json"]);
  });

  it("keeps what is pending for one target when another is changed and put back", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [elsewhere]);
    const journal = createRestoreJournal(folder, () => false);
    journal.record(entry);
    journal.complete(entry.subject);
    expect(journal.pending()).toEqual([elsewhere]);
    journal.record(entry);
    journal.complete(entry.subject, elsewhere.baseUrl);
    expect(journal.pending()).toEqual([entry]);
  });
});
