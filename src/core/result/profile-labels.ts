import type { LoadProfileResult } from "./load-result.ts";
import { repeatedId } from "./repeated-id.ts";

/** The name of a profile for machine formats: that of the user, with the number of the run where it was sent several times. */
export function profileLabels(profile: Pick<LoadProfileResult, "id" | "repeat">): {
  readonly profile: string;
  readonly repetition?: number;
} {
  const { repeat } = profile;
  return { profile: repeatedId(profile), ...(repeat === undefined ? {} : { repetition: repeat.number }) };
}
