import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { keep } from "../make/keep.ts";
import { openLiveTarget } from "./live-target.ts";
import { emptyFolder, folderWith, readResult, runAssay, runFolder } from "./run-assay.ts";

describe("assay replay", () => {
  it("distinguishes a finding that still stands from one that was fixed, and from one of which neither is known", async () => {
    const { service, folder, env } = await openLiveTarget(["primary"]);
    service.switches.set(["chat/temperature-above-unchecked"]);
    const first = await runAssay(["check", "--case", "chat/rejects-bad-temperature-above-2"], { folder, env });
    expect(first.exitCode).toBe(1);
    const findings = readResult(folder)["findings"] as readonly { id: string; requirement: string }[];
    const id = findings.find((finding) => finding.requirement === "CHAT-021")?.id ?? "";
    const replay = (...flags: readonly string[]): ReturnType<typeof runAssay> =>
      runAssay(["replay", runFolder(folder), id, ...flags], {
        folder,
        env: { ...env, ASSAY_API_KEY: service.manifest.keys["primary"]!.secret },
      });

    const elsewhere = service.manifest.target.baseUrl.replace("127.0.0.1", "localhost");
    const refused = await replay("--base-url", elsewhere);
    expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("add --other-target");
    expect((await replay("--base-url", elsewhere, "--other-target")).stdout).toContain(`${id}: still fails - `);

    const same = await replay();
    expect(same.stdout).toMatch(new RegExp(`^${id}: still fails - `));
    expect(same.exitCode).toBe(1);

    service.switches.set([]);
    const fixed = await replay();
    expect(fixed.stdout).toMatch(new RegExp(`^${id}: fixed - `));
    expect(fixed.exitCode).toBe(0);

    await service.close();
    const gone = await replay();
    expect(gone.stdout).toMatch(new RegExp(`^${id}: inconclusive - `));
    expect(gone.exitCode).toBe(3);
  });

  it("asks the embedded reference service, as it was in the run, when no target is given", async () => {
    const folder = emptyFolder();
    const flags = ["--case", "chat/rejects-bad-temperature-above-2", "--mutant=chat/temperature-above-unchecked"];
    const first = await runAssay(["check", ...flags, "--variant", "stream/crlf"], { folder });
    const hint = /^next: assay (replay \S+ CHAT-021\.\w+)$/m.exec(first.stdout)?.[1] ?? "";
    const again = await runAssay(hint.split(" "), { folder });
    expect(again.stderr).toBe("");
    expect(again.stdout).toMatch(/^CHAT-021\.\w{5}: still fails - /);
    expect(again.exitCode).toBe(1);
  });

  it("sends the case of the finding's own requirement, whatever other cases the same defect broke before it", async () => {
    const folder = emptyFolder();
    // The finding cites their answers first.
    const others = "core/several-mistakes,core/repeated-mistake";
    const flags = ["--case", `${others},chat/rejects-bad-temperature`, "--mutant=chat/temperature-unchecked"];
    const first = await runAssay(["check", ...flags], { folder });
    const hint = /^next: assay (replay \S+ CHAT-020\.\w+)$/m.exec(first.stdout)?.[1] ?? "";
    const again = await runAssay(hint.split(" "), { folder });
    expect(again.stdout).toMatch(/^CHAT-020\.\w{5}: still fails - /);
    expect(again.exitCode).toBe(1);
  });

  it("works on a run folder that was moved, and so does assay report: nothing in it depends on where it lies", async () => {
    const { service, folder, env } = await openLiveTarget(["primary"]);
    service.switches.set(["chat/temperature-above-unchecked"]);
    await runAssay(["check", "--case", "chat/rejects-bad-temperature-above-2"], { folder, env });
    const moved = join(emptyFolder(), "a moved run");
    renameSync(runFolder(folder), moved);
    const before = readFileSync(join(moved, "result.json"), "utf8");
    const replayed = await runAssay(["replay", moved, "CHAT-021"], { folder, env });
    expect(replayed.stdout).toMatch(/^CHAT-021\.\w{5}: still fails - /);
    const report = await runAssay(["report", moved]);
    expect(report.exitCode).toBe(1);
    expect(readFileSync(join(moved, "result.json"), "utf8")).toBe(before);
  });
});

describe("assay replay of what one request does not show", () => {
  it("holds the exam of limits again and looks for the same finding", async () => {
    const service = keep(await startReferenceService({ clock: "manual", mutants: ["limits/over-admit-one"] }));
    const document = {
      target: { baseUrl: service.url, plan: "starter" },
      exclusive: true,
      // The key of the lowest limit: the fewest requests.
      keys: { primary: "${STARTER_KEY}" },
      permissions: { exhaustLimits: true },
      control: { url: service.controlUrl, token: "${CONTROL_TOKEN}" },
    };
    const folder = folderWith({ "assay.config.yaml": document });
    const env = { STARTER_KEY: service.manifest.keys["starter"]?.secret ?? "", CONTROL_TOKEN: service.controlToken };
    await runAssay(["limits", "--exam=short", "--requirement=RATE-018"], { folder, env });
    // Judged again without sending: a few lines, the verdict among the last.
    const judged = await runAssay(["limits", "--replay", runFolder(folder)], { folder });
    const lines = judged.stdout.trimEnd().split("\n");
    expect([judged.exitCode, lines.length < 60]).toEqual([1, true]);
    expect(lines.slice(-3).join("\n")).toMatch(/fail/i);
    const findings = readResult(folder)["findings"] as readonly { id: string; check: string }[];
    const id = findings.find(({ check }) => check === "limits.over-admission")?.id ?? "";
    const again = await runAssay(["replay", "reports/latest", id], { folder, env });
    expect(again.stdout).toMatch(new RegExp(`^${id} RATE-018: still fails - .*\nrun: `));
    expect(again.stderr).toContain("the exam of limits is sent again");
    expect(again.exitCode).toBe(1);
  });

  it("names the address of the run, and asks for it, where none is given", async () => {
    const { service, folder, env } = await openLiveTarget(["primary"]);
    service.switches.set(["chat/temperature-above-unchecked"]);
    const key = { ...env, ASSAY_API_KEY: service.manifest.keys["primary"]!.secret };
    const elsewhere = emptyFolder();
    const flags = ["check", "--base-url", service.url, "--case", "chat/rejects-bad-temperature-above-2"];
    const first = await runAssay(flags, { folder: elsewhere, env: key });
    const asked = await runAssay(["replay", runFolder(elsewhere), "CHAT-021"], { folder: elsewhere, env: key });
    expect([asked.exitCode, asked.stdout]).toEqual([2, ""]);
    expect(asked.stderr).toContain(`--base-url ${service.url}`);
    const hint = /^next: assay (replay .*)$/m.exec(first.stdout)?.[1] ?? "";
    const again = await runAssay(hint.split(" "), { folder: elsewhere, env: key });
    expect(again.stdout).toMatch(/^CHAT-021\.\w{5}: still fails - /);
    expect(folder).not.toBe(elsewhere);
  });
});

describe("assay limits --replay of a run without an exam of limits", () => {
  const replayAgain = async (folder: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await runAssay(["limits", "--replay", runFolder(folder), "--reporter", "json=-"], {
      folder,
    });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "untested", policies: [] });
    return stderr;
  };

  it("says that of load only samples were kept, and where its limits were judged", async () => {
    const profile = { id: "short", title: "Short", durationSeconds: 0.5, workload: [{ endpoint: "models" }] };
    const folder = folderWith({ "short.yaml": { ...profile, arrivals: { kind: "constant", ratePerSecond: 10 } } });
    await runAssay(["load", "--profile", "./short.yaml"], { folder });
    const reported = await replayAgain(folder);
    expect(reported).toContain("of load the evidence keeps samples only");
    expect(reported).toContain("by the gates of its profile");
    expect(reported).toContain("assay limits holds one");
  });

  it("says that conformance cases reach no limit", async () => {
    const { folder } = await runAssay(["check", "--case", "chat/rejects-bad-temperature-above-2"]);
    const reported = await replayAgain(folder);
    expect(reported).toContain("this run held no exam of limits: its evidence holds no schedule that reaches a limit");
  });
});
