import { expect, it } from "vitest";
import { examineReference } from "../../conformance/examine-reference.ts";

/** The rows that a run of these suites judged or could have judged. */
async function scopeOf(
  seed: number,
  options: { readonly flowing?: boolean; readonly variants?: readonly string[] } = {},
): Promise<string> {
  const { result } = await examineReference({ seed, suites: ["models", "embeddings"], ...options });
  return result.requirements
    .filter(({ untested, inPassing }) => untested === undefined && inPassing !== true)
    .map(({ id }) => id)
    .join(" ");
}

// RATE-035 (whether refused requests count) is of another suite: whether it shows depends on which requests happen to be neighbours.
it("equal selections judge equal rows, whatever is seen of other suites in passing", async () => {
  const first = await scopeOf(1);
  expect(first).toContain("MOD-001");
  expect(first).not.toContain("RATE-035");
  for (const seed of [2, 3, 4, 5, 6]) expect(await scopeOf(seed)).toBe(first);
  expect(await scopeOf(1, { flowing: true })).toBe(first);
  expect(await scopeOf(1, { variants: ["limits/client-errors-count"] })).toBe(first);
});
