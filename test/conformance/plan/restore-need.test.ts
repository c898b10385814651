import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { examineReference } from "../examine-reference.ts";

/** Members of settings that were changed, and of those that were put back. */
function membersOf(exchanges: readonly Exchange[], stage: Exchange["stage"], path: string): readonly string[] {
  return exchanges
    .filter((exchange) => exchange.endpoint === "key-settings" && exchange.stage === stage && exchange.request.path === path)
    .flatMap((exchange) => Object.keys(factsOf(exchange).requestObject ?? {}));
}

describe("a key that is changed beside the one set aside", () => {
  const caseId = "settings/after-another-key";
  const declaring =
    (secondary: Manifest["restore"]["keys"][string]) =>
    (manifest: Manifest): Manifest => ({
      ...manifest,
      restore: { ...manifest.restore, keys: { ...manifest.restore.keys, secondary } },
    });

  it("is sent no member that is not put back", async () => {
    const { exchanges, result } = await examineReference({
      cases: ["settings/takes-effect", caseId],
      manifest: declaring({ monthly_spend_cap: 5000 }),
    });
    const path = exchanges.find(({ label }) => label === "set-other")?.request.path ?? "";
    expect(membersOf(exchanges, "conformance", path)).toEqual(["monthly_spend_cap"]);
    expect(membersOf(exchanges, "setup", path)).toEqual(["monthly_spend_cap"]);
    expect(result.requirements.find(({ id }) => id === "KEY-030")?.verdict).toBe("pass");
  });

  it("is left alone where nothing of it is declared", async () => {
    const { exchanges, plan } = await examineReference({ cases: [caseId], manifest: declaring({}) });
    expect(exchanges.filter(({ endpoint }) => endpoint === "key-settings")).toEqual([]);
    expect(plan.skipped.map(({ case: { id }, unmet: { text } }) => [id, text])).toEqual([
      [caseId, "the manifest declares no values to restore for secondary"],
    ]);
  });
});
