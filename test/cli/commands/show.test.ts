import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLiveTarget } from "../live-target.ts";
import { emptyFolder, readResult, runAssay, runFolder } from "../run-assay.ts";

describe("assay show", () => {
  it("lists what the summary leaves out: findings whole, and what was not judged", async () => {
    const { service, folder, env } = await openLiveTarget(["primary"]);
    service.switches.set(["auth/bare-key"]);
    const run = await runAssay(["check", "--suite", "core"], { folder, env });
    expect(run.exitCode).toBe(1);
    const findings = readResult(folder)["findings"] as readonly { id: string; requirement: string; curl: string }[];
    const id = findings.find(({ requirement }) => requirement === "AUTH-003")?.id ?? "";

    // The command that the summary names.
    const named = /listed by: assay (show \S+ scope)$/m.exec(run.stdout)?.[1] ?? "";
    const scope = await runAssay(named.split(" "), { folder });
    expect(scope.stdout).toMatch(/^TO COMPLETE THIS VERDICT/m);
    expect(scope.stdout).toMatch(/^ {4}permissions:$/m);

    const all = await runAssay(["show"], { folder });
    for (const finding of findings) expect(all.stdout).toContain(finding.id);
    expect(all.stdout).toContain("TO COMPLETE THIS VERDICT");
    expect(all.exitCode).toBe(0);

    // The last run is meant where a finding alone is named.
    const one = await runAssay(["show", "AUTH-003"], { folder });
    const given = await runAssay(["show", runFolder(folder), id], { folder });
    expect(one.stdout).toBe(given.stdout);
    expect(one.stdout).toContain("sent     GET /v1/models (bad credentials, authorization: <key:primary>)");
    expect(one.stdout).toContain("curl -sS -i");
    const misspelt = await runAssay(["show", "reports/latest", "scoep"], { folder });
    expect([misspelt.exitCode, misspelt.stderr]).toEqual([2, expect.stringContaining("did you mean scope?")]);
    const json = await runAssay(["show", "reports/latest", id, "--json"], { folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ id, requirement: "AUTH-003" });

    // A credential that was wrong on purpose can be presented again.
    const replayed = await runAssay(["replay", runFolder(folder), id], { folder, env });
    expect(replayed.stdout).toMatch(new RegExp(`^${id}: still fails - `));
  });

  it("refuses a run or a finding that is not there", async () => {
    const folder = emptyFolder();
    const none = await runAssay(["show"], { folder });
    expect([none.exitCode, none.stdout]).toEqual([2, ""]);
    const missing = await runAssay(["show", join(folder, "no-run")], { folder });
    expect([missing.exitCode, missing.stdout]).toEqual([2, ""]);
  });
});
