import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRestoreJournal } from "../../src/run/restore-journal.ts";

const entry = { subject: "key:burst", baseUrl: "http://127.0.0.1:1", settings: { burst_limit: 60, cooldown_seconds: null } };

describe("createRestoreJournal", () => {
  it("survives a crash: what was recorded and not completed is pending for the next run", () => {
    const file = join(mkdtempSync(join(tmpdir(), "assay-journal-")), "deep/.pending-restore.json");
    const journal = createRestoreJournal(file);
    expect(existsSync(file)).toBe(false);
    journal.record(entry);
    journal.record({ ...entry, subject: "account", settings: { account_spend_cap: 100 } });
    journal.complete("account");
    expect(createRestoreJournal(file).pending()).toEqual([entry]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual([entry]);
  });

  it("leaves no file when everything was put back", () => {
    const file = join(mkdtempSync(join(tmpdir(), "assay-journal-")), ".pending-restore.json");
    const journal = createRestoreJournal(file);
    journal.record(entry);
    journal.complete("key:other");
    expect(existsSync(file)).toBe(true);
    journal.complete("key:burst");
    expect(existsSync(file)).toBe(false);
    expect(journal.pending()).toEqual([]);
  });
});
