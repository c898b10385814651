import { describe, expect, it } from "vitest";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

const dated = "limits/retry-after-date";
const switchOf = (id: string) => allSwitches.find((one) => one.id === id)!;

async function failures(id: string, variants: readonly string[]): Promise<readonly string[]> {
  const { findings } = await examineSwitch("limits", switchOf(id), { variants });
  return findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
}

describe("Retry-After as a date on a service whose Date is another clock", () => {
  it.each([[[]], [["limits/retry-after-header-only"]]])("is not taken for a broken promise (with %j)", async (more) => {
    expect(await failures(dated, ["headers/clock-ahead", ...more])).toEqual([]);
  });

  it("is a broken promise where it is over at once", async () => {
    expect(await failures("limits/retry-after-zero", [dated])).toContain("limits.retry-after-too-short");
  });
});
