import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../src/load/arrivals/arrival-kinds.ts";
import { limitScenarios } from "../../../src/load/profile/limit-scenarios.ts";
import { builtInProfiles, loadProfile, readProfile } from "../../../src/load/plan/read-profile.ts";

describe("limit scenarios", () => {
  it("decide what is watched and waited for in each built-in profile", () => {
    const facts = builtInProfiles().map((id) => {
      const { arrivals, limitScenario } = loadProfile(id).profile;
      const shape = shapeOf(arrivals);
      if (limitScenario === null) return [id];
      const jumps = shape.name === "open" && shape.hasSilences === true;
      return [id, limitScenario, ...(limitScenarios[limitScenario].crossesCap ? ["cap"] : []), ...(jumps ? ["clock"] : [])];
    });
    expect(facts.filter(([, scenario]) => scenario !== undefined)).toEqual([
      ["burst", "request-limit", "clock"],
      ["cooldown", "cooldown", "clock"],
      ["spend-cap", "spend-cap", "cap", "clock"],
      ["window-edges", "request-limit", "clock"],
    ]);
  });

  it("are the request limit where a profile may exhaust one and names none", () => {
    const text = "id: x\ntitle: X\narrivals: { kind: constant, ratePerSecond: 1 }\nworkload: [{ endpoint: models }]\n";
    expect(readProfile(text, "x.yaml").limitScenario).toBeNull();
    expect(readProfile(`${text}needs: [exhaustLimits]\n`, "x.yaml").limitScenario).toBe("request-limit");
    expect(readProfile(`${text}needs: [exhaustLimits]\nlimitScenario: cooldown\n`, "x.yaml").limitScenario).toBe("cooldown");
    expect(() => readProfile(`${text}limitScenario: request-limit\n`, "x.yaml")).toThrow(
      "x.yaml:5: limitScenario: request-limit needs exhaustLimits below needs",
    );
  });
});
