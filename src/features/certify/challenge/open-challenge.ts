import type { RunFlags } from "../../../command/run-flags.ts";
import { UsageError } from "../../../command/usage-error.ts";
import type { RunOptions } from "../../../run/run-options.ts";
import { readKey, readText } from "../keys/read-key.ts";
import { readChallenge, seedOf } from "./challenge.ts";
import { recordChallenge } from "./record-challenge.ts";
import { output } from "../../../report/terminal/output.ts";

/** The recorder of the challenge and the seed that `--challenge` and `--key` ask for. */
export function openChallenge({
  challenge: file,
  key: place,
}: Pick<RunFlags, "challenge" | "key">): Required<Pick<RunOptions, "challengeRecorder" | "seed">> {
  if (file === undefined) throw new UsageError("--key signs the commitment to a challenge", "give --challenge FILE, too");
  if (place === undefined)
    throw new UsageError("--challenge needs a key to sign the commitment with", "give --key FILE or env:NAME");
  const challenge = readChallenge(readText(file));
  if (new Date(challenge.expiresAt) < new Date()) {
    throw new UsageError(`the challenge expired at ${challenge.expiresAt}`, "ask the verifier for another one");
  }
  const onCommitment = (path: string): void => {
    output.say(`assay: hand ${path} to the verifier now: it shows that this run was begun before its outcome was known`);
  };
  return { challengeRecorder: recordChallenge({ challenge, key: readKey(place), onCommitment }), seed: seedOf(challenge) };
}
