import { describe, expect, it } from "vitest";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { RequirementResult } from "../../../src/core/result/conformance-result.ts";
import type { ScopeResult } from "../../../src/core/result/scope-result.ts";
import { notJudged } from "../../../src/limits/probe/limit-probe.ts";
import { describeScope } from "../../../src/run/scope/describe-scope.ts";
import { limitsOutOfScope } from "../../../src/run/scope/limit-scope.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { testManifest } from "../../make/test-manifest.ts";

const bare = testManifest("http://127.0.0.1:1");

/** The scope of a run that could not examine the burst limit. */
function withoutBursts(manifest: Manifest): ScopeResult {
  const { id, suite, level, section, text } = readCatalogue().find((row) => row.id === "BURST-001")!;
  const why = { verdict: "untested", reason: "not-permitted: left out", untested: "not-permitted" } as const;
  const nothing = { considered: 0, violated: 0, judges: [], exchanges: [], findings: [], reading: null };
  const row: RequirementResult = { id, suite, level, section, text, ...why, ...nothing };
  return describeScope({
    conformance: { suites: [], requirements: [row], leniency: [], matrix: [] },
    manifest: redactManifest(manifest),
    untested: limitsOutOfScope([notJudged("burst", "not-permitted", "left out")], readCatalogue()),
    lost: [],
    today: "2026-01-01",
  });
}

describe("what an exam of limits needs beside what the manifest holds", () => {
  const permissions = { ...bare.permissions, patchSettings: true };
  const restore = { ...bare.restore, keys: { examBurst: { burst_limit: null } } };

  it.each([null, "key_1"])("names the id of a key only where there is none: %s", (id) => {
    const keys = { ...bare.keys, examBurst: { secret: "sk-burst-0123456789", id, createdAtMs: null } };
    const { missing, yaml } = withoutBursts({ ...bare, keys, permissions, restore });
    expect(missing.map(({ member }) => member)).toEqual(id === null ? ["keys.examBurst.id"] : []);
    expect(yaml).toBe(id === null ? 'keys:\n  examBurst: { secret: "${ASSAY_EXAM_BURST_KEY}", id: key_id_of_it }\n' : null);
  });

  it("names every member that an empty manifest lacks, in the YAML as well", () => {
    const off = { ...bare.permissions, patchSettings: false };
    const { missing, yaml } = withoutBursts({ ...bare, keys: {}, permissions: off, restore: { keys: {}, account: null } });
    expect(missing.map(({ member }) => member)).toEqual([
      "keys.examBurst",
      "keys.examBurst.id",
      "permissions.patchSettings",
      "restore.keys.examBurst",
    ]);
    expect(yaml).toBe(
      [
        'keys:\n  examBurst: { secret: "${ASSAY_EXAM_BURST_KEY}", id: key_id_of_it }',
        "permissions:\n  patchSettings: true",
        "restore:\n  keys:\n    examBurst: { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null }\n",
      ].join("\n"),
    );
  });
});
