import type { LoadProfileResult } from "./load-result.ts";

/** The id of a profile; of a run of several, that of the profile it repeats: what is said of all of them is the same however many there are. */
export function repeatedId({ id, repeat }: Pick<LoadProfileResult, "id" | "repeat">): string {
  return repeat?.of ?? id;
}
