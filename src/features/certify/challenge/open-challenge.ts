import type { RunFlags } from "../../../command/run-flags.ts";
import { UsageError } from "../../../command/usage-error.ts";
import type { RunOptions } from "../../../run/run-options.ts";
import { readKey, readText } from "../keys/read-key.ts";
import { readChallenge, seedOf, challengeDigest, type Challenge } from "./challenge.ts";
import { output } from "../../../report/terminal/output.ts";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitmentDigest, signCommitment } from "./commitment.ts";
import type { SigningKey } from "../keys/signing-key.ts";
import { ChainWriter } from "../../../evidence/chain-writer.ts";
import { challengeFiles } from "../../../run/record/challenge-files.ts";
import { digestCatalogue } from "../statement/digest-catalogue.ts";
import { digestTool } from "../statement/tool-digest.ts";
import type { ChallengeRecorder } from "../../../run/challenge-recorder.ts";

/** How often the ends of the files are noted. */
const noteMs = 10_000;

/**
 * Holds a run to a challenge: writes the commitment, signed, before anything is sent, and then the ends of the files as they grow.
 * `onCommitment` gets the path of the commitment, which the verifier has to have before the run is over.
 */
export function recordChallenge(options: {
  readonly challenge: Challenge;
  readonly key: SigningKey;
  readonly onCommitment: (path: string) => void;
}): ChallengeRecorder {
  const { challenge, key, onCommitment } = options;
  return ({ runId, startedAt, folder, command, heads }) => {
    const envelope = signCommitment(key, {
      challenge: challengeDigest(challenge),
      runId,
      startedAt,
      seed: seedOf(challenge),
      command,
      toolSha256: digestTool(),
      catalogueSha256: digestCatalogue(),
    });
    writeFileSync(join(folder, challengeFiles.challenge), `${JSON.stringify(challenge, null, 1)}\n`);
    const path = join(folder, challengeFiles.commitment);
    writeFileSync(path, JSON.stringify(envelope));
    onCommitment(path);
    const chain = new ChainWriter(join(folder, challengeFiles.heads));
    chain.append(JSON.stringify({ kind: "header", commitment: commitmentDigest(envelope) }));
    const began = process.hrtime.bigint();
    const note = (): void => {
      const { evidence, load } = heads();
      const afterMs = Number((process.hrtime.bigint() - began) / 1_000_000n);
      chain.append(JSON.stringify({ afterMs, "evidence.ndjson": evidence, "load.ndjson": load }));
    };
    const timer = setInterval(note, noteMs);
    return async () => {
      clearInterval(timer);
      note();
      await chain.close();
      return Object.values(challengeFiles).map((name) => ({
        name,
        sha256: createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      }));
    };
  };
}

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
