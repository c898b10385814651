import type { GateResult } from "../../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import { repeatedId } from "../../../core/result/repeated-id.ts";

/** The gate of a repeated profile is about all runs. Any other goes by the id of its pair. */
export function gateName(
  pair: string,
  profile: Pick<LoadProfileResult, "id" | "repeat"> | undefined,
  { expression }: Pick<GateResult, "expression">,
): string {
  return `${profile?.repeat === undefined ? pair : repeatedId(profile)}: ${expression}`;
}
