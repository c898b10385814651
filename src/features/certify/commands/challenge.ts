import { writeFileSync } from "node:fs";
import { makeChallenge } from "../challenge/challenge.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { digestPolicy } from "./digest-policy.ts";
import { openPolicy } from "./open-policy.ts";
import { output } from "../../../report/terminal/output.ts";

export interface ChallengeFlags {
  readonly out: string;
  readonly hours: number;
  readonly policy?: string;
}

/** Writes a challenge for a vendor. */
export function challengeCommand({ out, hours, policy }: ChallengeFlags): number {
  // As `verify` will read it: a vendor must not run for a policy that cannot be applied.
  if (policy !== undefined) openPolicy(policy);
  const challenge = makeChallenge({
    now: new Date(),
    validForMs: hours * 3_600_000,
    policySha256: digestPolicy(policy),
  });
  writeFileSync(out, `${JSON.stringify(challenge, null, 1)}\n`, { flag: "wx" });
  output.print(`${out}\nvalid until ${challenge.expiresAt}; keep it, and every commitment that you receive for it\n`);
  return exitCodes.met;
}
