import type { SuiteId } from "../../src/core/result/requirement.ts";
import { type Examined, examineReference } from "./examine-reference.ts";

const healthy = new Map<string, Promise<Examined>>();

/** The healthy service in some suites, by default in all, once a worker: files share its modules, and none changes what it shows. */
export function examineHealthy(suites: readonly SuiteId[] = []): Promise<Examined> {
  const known = healthy.get(suites.join());
  if (known !== undefined) return known;
  const examined = examineReference({ suites });
  healthy.set(suites.join(), examined);
  return examined;
}
