import { describe, expect, it } from "vitest";
import { attacks, quickAttacks } from "../../bench/hostile/attacks.ts";
import type { AttackedCommand } from "../../bench/hostile/commands.ts";
import { tryAttack } from "../../bench/hostile/try-attack.ts";
import { isWhole, sampleOf, sampleTitle } from "../make/runner/sample.ts";

/** Some of those that are named as quick; all: `npm run test:all`, against all commands: `npm run bench:hostile`. */
const tried = sampleOf(
  attacks.filter(({ id }) => isWhole || quickAttacks.includes(id)),
  2,
);
const report = { id: "report", args: (folder: string) => ["report", folder] };
const check: AttackedCommand = { id: "check", args: () => ["check", "--suite", "models,stream"], requests: 40, next: [report] };
const limits: AttackedCommand = { id: "limits", args: () => ["limits"], requests: 40, next: [report] };

describe("a hostile target", () => {
  it.each(tried)(`does not hang, crash, bloat or speak through assay: $id (${sampleTitle})`, async (attack) => {
    const all = await tryAttack(attack, attack.id.startsWith("limit") ? limits : check, "small", {
      seconds: 150,
      megabytes: 512,
    });
    expect(all.map(({ command, broken }) => ({ command, broken }))).toEqual(all.map(({ command }) => ({ command, broken: [] })));
    expect(all.length).toBe(2);
  });

  it("is tried with every attack that is named as quick", () => {
    expect(quickAttacks.filter((name) => attacks.every(({ id }) => id !== name))).toEqual([]);
  });
});
