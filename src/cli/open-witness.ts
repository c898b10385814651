import { readChallenge, seedOf } from "../certificate/challenge/challenge.ts";
import { witnessRun } from "../run/certificate/witness-run.ts";
import type { Witness } from "../run/certificate/witness.ts";
import type { RunFlags } from "./run-flags.ts";
import { readKey, readText } from "./read-key.ts";
import { UsageError } from "./usage-error.ts";

/** What `--challenge` and `--key` ask for; null without a challenge. */
export function openWitness({
  challenge: file,
  key: place,
}: RunFlags): { readonly witness: Witness; readonly seed: number } | null {
  if (file === undefined) {
    if (place !== undefined) throw new UsageError("--key signs the commitment to a challenge", "give --challenge FILE, too");
    return null;
  }
  if (place === undefined)
    throw new UsageError("--challenge needs a key to sign the commitment with", "give --key FILE or env:NAME");
  const challenge = readChallenge(readText(file));
  if (Date.parse(challenge.expiresAt) < Date.now()) {
    throw new UsageError(`the challenge expired at ${challenge.expiresAt}`, "ask the verifier for another one");
  }
  const onCommitment = (path: string): void => {
    process.stderr.write(
      `assay: hand ${path} to the verifier now: it shows that this run was begun before its outcome was known\n`,
    );
  };
  return { witness: witnessRun({ challenge, key: readKey(place), onCommitment }), seed: seedOf(challenge) };
}
