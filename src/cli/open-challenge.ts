import { readChallenge, type Challenge } from "../certificate/challenge/challenge.ts";
import { digestPolicy } from "./digest-policy.ts";
import { readText } from "./read-key.ts";
import { UsageError } from "./usage-error.ts";

/** A challenge that a verifier issued; one that names a policy is verified with that one. */
export function openChallenge(file: string, policy: string | undefined): Challenge {
  const challenge = readChallenge(readText(file));
  const digest = digestPolicy(policy);
  if (challenge.policySha256 !== null && challenge.policySha256 !== digest)
    throw new UsageError(`${file} was issued with another policy`, "give that file with --policy");
  return challenge;
}
