import { describe, expect, it } from "vitest";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import type { Mutant } from "../../../src/reference/switches/switch.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

const one = (id: string): Mutant => allSwitches.find((entry): entry is Mutant => entry.kind === "mutant" && entry.id === id)!;

/** A key at its cap is refused everything but a PATCH, the usage report included: lawful (AMB-20). */
const strict = ["spend/all-endpoints-refused"];

describe("caps of a service that refuses everything of a capped key", () => {
  it("are judged whole, and not accused", async () => {
    const { result, findings } = await examineSwitch("spend", null, { variants: strict });
    expect(findings).toEqual([]);
    expect(result.policies.map(({ kind, verdict, summary }) => [kind, verdict, summary])).toEqual([
      ["key-cap", "pass", expect.stringContaining("caps hold as set")],
      ["account-cap", "pass", expect.stringContaining("caps hold as set")],
    ]);
  });

  it.each([[[]], [strict]])("pass no key whose streams or embeddings are served at the cap (%j)", async (variants) => {
    for (const id of ["spend/streams-exempt", "spend/embeddings-exempt"]) {
      const { result } = await examineSwitch("spend", one(id), { variants, time: "blind" });
      const capped = result.policies.find(({ kind }) => kind === "key-cap")!;
      expect([id, capped.verdict]).toEqual([id, "fail"]);
      expect(capped.summary).toMatch(/served while key spendA was refused at its cap/);
    }
  });

  it.each(["spend/check-then-charge", "spend/raising-ignored", "spend/lowering-ignored", "spend/recovers", "spend/charged-late"])(
    "%s is found",
    async (id) => {
      const mutant = one(id);
      const { findings } = await examineSwitch("spend", mutant, { variants: strict });
      const failed = findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
      expect(failed.filter((check) => check !== null && mutant.violates.includes(check))).not.toEqual([]);
    },
  );

  it("are judged whole where the capped key alone may read the usage: its cap is lifted first", async () => {
    const { result, findings } = await examineSwitch("spend", null, {
      variants: strict,
      without: ["spendB", "admin"],
      declare: (manifest) => ({ ...manifest, keys: { spendA: manifest.keys["spendAdmin"]! } }),
    });
    expect(findings).toEqual([]);
    const policy = result.policies.find(({ kind }) => kind === "key-cap");
    expect(policy?.verdict).toBe("pass");
    const open = policy?.checks.filter(({ verdict }) => verdict === "inconclusive").map(({ id }) => id);
    expect(open).toEqual(["spend.keys-share-cap", "spend.cycle-early", "spend.cycle-not-reset"]);
  });

  it("stand open where the usage report cannot be read: that is no pass", async () => {
    const { result } = await examineSwitch("spend", null, { variants: strict, without: ["spendAdmin", "spendB", "admin"] });
    expect(result.policies.filter(({ verdict }) => verdict === "pass")).toEqual([]);
  });
});
