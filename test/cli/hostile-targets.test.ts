import { describe, expect, it } from "vitest";
import { attacks, quickAttacks } from "../../bench/hostile/attacks.ts";
import { tryAttack } from "../../bench/hostile/try-attack.ts";

/** All of them against all commands: `npm run bench:hostile`. */
const tried = attacks.filter(({ id }) => process.env["ASSAY_TEST_ALL"] === "1" || quickAttacks.includes(id));

describe("a hostile target", () => {
  it.each(tried)(
    "does not hang, crash or bloat assay check: $id",
    async (attack) => {
      const command = attack.id.startsWith("limit") ? ["limits"] : ["check", "--suite", "models,stream"];
      const one = await tryAttack(attack, command, { seconds: 150, megabytes: 512 });
      expect(one.broken).toEqual([]);
    },
    180_000,
  );

  it("is tried with every attack that is named as quick", () => {
    expect(quickAttacks.filter((name) => attacks.every(({ id }) => id !== name))).toEqual([]);
  });
});
