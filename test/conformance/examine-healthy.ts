import { type Examined, examineReference } from "./examine-reference.ts";

let healthy: Promise<Examined> | null = null;

/** The healthy service in all suites, once a worker: files share its modules, and none changes what it shows. */
export function examineHealthy(): Promise<Examined> {
  healthy ??= examineReference();
  return healthy;
}
