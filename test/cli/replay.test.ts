import { describe, expect, it } from "vitest";
import { openLiveTarget } from "./live-target.ts";
import { readResult, runAssay, runFolder } from "./run-assay.ts";

describe("assay replay", () => {
  it("tells a finding that still stands from one that was fixed, and from one that cannot be told", async () => {
    const { service, folder, env } = await openLiveTarget(["primary"]);
    try {
      service.switches.set(["chat/temperature-above-unchecked"]);
      const first = await runAssay(["check", "--suite", "chat"], { folder, env });
      expect(first.exitCode).toBe(1);
      const findings = readResult(folder)["findings"] as readonly { id: string; requirement: string }[];
      const id = findings.find((finding) => finding.requirement === "CHAT-021")?.id ?? "";
      const replay = (...flags: readonly string[]): ReturnType<typeof runAssay> =>
        runAssay(["replay", runFolder(folder), id, ...flags], { folder, env });

      const same = await replay();
      expect(same.stdout).toMatch(new RegExp(`^${id} CHAT-021: still fails - `));
      expect(same.exitCode).toBe(1);

      service.switches.set([]);
      const fixed = await replay();
      expect(fixed.stdout).toMatch(new RegExp(`^${id} CHAT-021: fixed - `));
      expect(fixed.exitCode).toBe(0);

      await service.close();
      const gone = await replay();
      expect(gone.stdout).toMatch(new RegExp(`^${id} CHAT-021: cannot tell - `));
      expect(gone.exitCode).toBe(3);
    } finally {
      await service.close();
    }
  });
});
