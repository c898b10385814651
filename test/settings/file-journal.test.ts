import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileJournal } from "../../src/settings/file-journal.ts";
import type { PendingSettings } from "../../src/settings/settings-journal.ts";

const entry: PendingSettings = {
  subject: "key:burst",
  baseUrl: "http://127.0.0.1:1",
  path: "/v1/keys/key_7",
  by: "admin",
  settings: { burst_limit: 60, cooldown_seconds: null },
};
const account = { ...entry, subject: "account", path: "/v1/account", settings: { account_spend_cap: 100 } };
const elsewhere = { ...entry, baseUrl: "http://127.0.0.1:2", settings: { burst_limit: 7 } };

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "assay-journal-"));
}

function nameOf(pid: number): string {
  return `.pending-restore-${pid}.json`;
}

/** As if a process of this id, begun at that time, had written its journal. */
function leave(folder: string, pid: number, pending: readonly PendingSettings[], started = "then"): void {
  const content = { schemaVersion: "1.0", process: { pid, started }, pending };
  writeFileSync(join(folder, nameOf(pid)), JSON.stringify(content));
}

const noOther = (pid: number): string | null => (pid === process.pid ? "now" : null);

describe("the journal of settings", () => {
  it("survives a crash: what was recorded and not completed is there for the next run", () => {
    const folder = join(emptyFolder(), "deep");
    const journal = createFileJournal(folder);
    expect([journal.own(), journal.inherited()]).toEqual([[], []]);
    journal.record(entry);
    journal.record(account);
    journal.complete(account);
    expect(journal.own()).toEqual([entry]);
    expect(readdirSync(folder)).toEqual([nameOf(process.pid)]);
    expect(createFileJournal(folder).inherited()).toEqual([entry]);
  });

  it("leaves no file when everything was put back", () => {
    const folder = emptyFolder();
    const journal = createFileJournal(folder);
    journal.record(entry);
    journal.complete(account);
    expect(readdirSync(folder)).toHaveLength(1);
    journal.complete(entry);
    expect(readdirSync(folder)).toEqual([]);
    expect(journal.own()).toEqual([]);
  });

  it("takes over from runs that died, and keeps its hands off those that still go", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [entry]);
    leave(folder, 4002, [elsewhere]);
    const journal = createFileJournal(folder, (pid) => (pid === 4001 ? null : pid === 4002 ? "then" : "now"));
    expect(journal.inherited()).toEqual([entry]);
    journal.complete(entry);
    expect(readdirSync(folder)).toEqual([nameOf(4002)]);
  });

  it("knows a run that died by its time where its number was given to another process, our own included", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [entry]);
    leave(folder, process.pid, [elsewhere]);
    const journal = createFileJournal(folder, () => "now");
    expect(journal.inherited()).toHaveLength(2);
    journal.record(account);
    journal.complete(entry);
    // Entries of a process of the same number are kept beside our own changes until both are put back.
    expect(createFileJournal(folder, () => "now").inherited()).toEqual([elsewhere, account]);
    journal.complete(elsewhere);
    journal.complete(account);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps what is pending for one target when another is changed and put back", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [elsewhere, account]);
    const journal = createFileJournal(folder, noOther);
    journal.record(entry);
    journal.complete(entry);
    expect(journal.inherited()).toEqual([elsewhere, account]);
    journal.complete(elsewhere);
    // Rewritten for the next run, which must still see that its writer is gone.
    expect(createFileJournal(folder, (pid) => (pid === 4001 ? "later" : "now")).inherited()).toEqual([account]);
  });

  it("distinguishes a slash at the end of an address from another address", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [entry]);
    createFileJournal(folder, noOther).complete({ ...entry, baseUrl: `${entry.baseUrl}/` });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("clears away what a process left that was killed before the rename, and nothing of one that still goes", () => {
    const folder = emptyFolder();
    leave(folder, 4001, [entry]);
    for (const pid of [4001, 4002, 4003]) writeFileSync(join(folder, `${nameOf(pid)}.new`), '{"schemaVersion":"1.');
    const journal = createFileJournal(folder, (pid) => (pid === 4003 || pid === process.pid ? "now" : null));
    expect(journal.inherited()).toEqual([entry]);
    expect(journal.problems).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual([nameOf(4001), `${nameOf(4003)}.new`]);
  });

  it.each([
    ["half a file", '{"schemaVersion":"1.0","pend'],
    ["another version", '[{"subject":"account"}]'],
    ["an entry without a path", JSON.stringify({ schemaVersion: "1.0", process: {}, pending: [{ ...entry, path: undefined }] })],
    ["a path to another host", JSON.stringify({ schemaVersion: "1.0", process: {}, pending: [{ ...entry, path: "//evil/v1" }] })],
    [
      "values that are no numbers",
      JSON.stringify({ schemaVersion: "1.0", process: {}, pending: [{ ...entry, settings: { a: "b" } }] }),
    ],
  ])("says so when a file cannot be read, and leaves it where it is: %s", (_, text) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, nameOf(4001)), text);
    const journal = createFileJournal(folder, noOther);
    expect(journal.inherited()).toEqual([]);
    expect(journal.problems).toHaveLength(1);
    expect(journal.problems[0]).toContain("put them back by hand, then delete the file");
    expect(existsSync(join(folder, nameOf(4001)))).toBe(true);
  });

  it("lets nothing be changed that it could not keep", () => {
    const file = join(emptyFolder(), "file");
    writeFileSync(file, "");
    const journal = createFileJournal(file);
    expect(() => journal.record(entry)).toThrow("no setting is changed");
    expect(journal.own()).toEqual([]);
  });

  it("is whole after a kill -9 at any instant", async () => {
    const folder = emptyFolder();
    const writer = `
      const { createFileJournal } = await import(${JSON.stringify(new URL("../../src/settings/file-journal.ts", import.meta.url).href)});
      const journal = createFileJournal(${JSON.stringify(folder)});
      const entry = ${JSON.stringify(entry)};
      journal.record(entry);
      process.stdout.write("ready");
      for (let count = 0; ; count += 1) {
        const other = { ...entry, path: "/v1/keys/" + (count % 3) };
        journal.record(other);
        journal.complete(other);
      }`;
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", writer], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, 3 + round * 4.6));
      child.kill("SIGKILL");
      await ended;
      const journal = createFileJournal(folder);
      expect(journal.problems).toEqual([]);
      expect(journal.inherited().some((one) => one.path === entry.path)).toBe(true);
      expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
      for (const left of journal.inherited()) journal.complete(left);
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});
