import type { ProbeTools } from "../../probe/probe-tools.ts";

/** Whether nobody waits for the exam: it is the full one, or the clock can be moved. */
export function isTimeFree({ exam, manifest }: Pick<ProbeTools, "exam" | "manifest">): boolean {
  return exam === "full" || manifest.control !== null;
}
