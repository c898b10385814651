import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { declared, journalFiles, openChangeableTarget, settingsOf, signalAtChange } from "./changed-settings.ts";
import type { LiveTarget } from "./live-target.ts";
import { type AssayOptions, readResult, runAssay, runFolder } from "./run-assay.ts";
import { openSettingsProxy } from "./settings-proxy.ts";

let live: LiveTarget;
let proxyUrl: string;

async function openTarget(key: string, through?: (serviceUrl: string) => Promise<string>): Promise<AssayOptions> {
  live = await openChangeableTarget([key], through);
  return { folder: live.folder, env: live.env };
}

/** As a run that died would have left it. */
function leavePending(folder: string, subject: string): string {
  const file = join(folder, "reports/.pending-restore-999999.json");
  mkdirSync(join(folder, "reports"));
  const { baseUrl } = live.service.manifest.target;
  const id = live.service.manifest.keys[subject.slice("key:".length)]?.id;
  const pending = [{ subject, baseUrl, path: `/v1/keys/${id}`, by: "admin", settings: declared }];
  writeFileSync(file, JSON.stringify({ schemaVersion: "1.0", process: { pid: 999_999, started: "then" }, pending }));
  return file;
}

describe("settings that a run left changed when it was killed", () => {
  it.each([
    ["by a case of conformance", ["check", "--suite", "settings"], "examSettings"],
    ["by the exam of bursts", ["limits"], "examBurst"],
  ])("%s are put back by the next run, which says so", async (_, args, key) => {
    const { live, ended } = await signalAtChange(args, key, "SIGKILL");
    expect(ended.exitCode).toBeNull();
    expect(journalFiles(live)).toHaveLength(1);
    const { stderr } = await runAssay(["check", "--suite", "models"], { folder: live.folder, env: live.env });
    expect(settingsOf(live, key)).toMatchObject(args[0] === "limits" ? { burst_limit: 77, cooldown_seconds: 9 } : declared);
    expect(journalFiles(live)).toEqual([]);
    expect(stderr).toContain(`settings that an earlier run left changed were restored: key:${key}`);
  });

  it("are put back before any case, and the run is as good as any", async () => {
    const options = await openTarget("secondary");
    const file = leavePending(live.folder, "key:secondary");
    const ended = await runAssay(["check", "--suite", "models"], options);
    expect(ended.exitCode).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(settingsOf(live, "secondary")).toMatchObject(declared);
    expect(readFileSync(join(runFolder(live.folder), "evidence.ndjson"), "utf8").split("\n")[2]).toContain(
      "restore key:secondary",
    );
  });

  it("stay pending, and are reported, while another target is measured", async () => {
    const options = await openTarget("secondary");
    const file = leavePending(live.folder, "key:secondary");
    const env = { ...options.env, ASSAY_API_KEY: "sk-canary-0123456789" };
    const ended = await runAssay(["check", "--suite", "models", "--base-url", "http://127.0.0.1:9"], { ...options, env });
    expect(ended.exitCode).toBe(3);
    expect(existsSync(file)).toBe(true);
    expect(ended.stderr).toContain(`an earlier run left settings changed on ${live.service.manifest.target.baseUrl}`);
  });

  it("fail the run where its file cannot be read, with what to do about it", async () => {
    const options = await openTarget("secondary");
    writeFileSync(leavePending(live.folder, "key:secondary"), "{");
    const ended = await runAssay(["check", "--suite", "models"], options);
    expect(ended.exitCode).toBe(3);
    expect(ended.stdout.replaceAll("\n", " ")).toContain("put them back by hand, then delete the file");
  });
});

describe("a target that does not let settings be put back", () => {
  /** Values other than the declared ones pass. */
  const isRestore = (settings: Readonly<Record<string, unknown>>): boolean =>
    Object.entries(declared).every(([name, value]) => settings[name] === value);

  async function check(refusals: number): Promise<Awaited<ReturnType<typeof runAssay>>> {
    let refused = 0;
    const options = await openTarget("examSettings", async (serviceUrl) => {
      proxyUrl = await openSettingsProxy(serviceUrl, (settings) => {
        if (!isRestore(settings) || refused >= refusals) return null;
        refused += 1;
        return 500;
      });
      return proxyUrl;
    });
    return runAssay(["check", "--case", "settings/takes-effect"], options);
  }

  it("at once, does so at the third attempt: no trace is left", async () => {
    const { stdout, stderr } = await check(2);
    expect(stderr).toContain("attempt 2 of 3 failed, answered 500");
    expect(stdout).not.toContain("still changed");
    expect(journalFiles(live)).toEqual([]);
    expect(settingsOf(live, "examSettings")).toMatchObject(declared);
  });

  it("at all, ends the run with another code than 0 and says what is to be done", async () => {
    const { exitCode, stderr } = await check(1000);
    expect(exitCode).not.toBe(0);
    const stated = `settings of the target are still changed: key:examSettings (answered 500); PATCH ${proxyUrl}/v1/keys/`;
    expect(stderr).toContain(stated);
    expect(readResult(live.folder)["notes"]).toEqual(expect.arrayContaining([expect.stringContaining(stated)]));
    expect(journalFiles(live)).toHaveLength(1);
  });
});
