import { allCases } from "../../../suites/all-cases.ts";
import { planConformance } from "../../conformance/plan/plan-conformance.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Lack } from "../../core/result/supply.ts";
import { planLimits } from "../../limits/exam/plan-limits.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { limitsOutOfScope } from "./limit-scope.ts";
import { missingSupply } from "./missing-supply.ts";

/**
 * The supplies without which a run of all suites with this manifest leaves rows unjudged, as the report of that run would count
 * them. Nothing is sent: cases and exams of limits are only planned.
 */
export async function foreseeMissing(manifest: Manifest): Promise<readonly Lack[]> {
  const catalogue = readCatalogue();
  const counted = new Set(catalogue.filter(({ exclusion }) => exclusion === null).map(({ id }) => id));
  const { notJudged } = await planLimits(manifest, "short");
  const { untested } = planConformance(allCases, manifest, { suites: [], cases: [] });
  const all = new Map([...limitsOutOfScope(notJudged, catalogue), ...untested]);
  return missingSupply([...all].filter(([id]) => counted.has(id)));
}
