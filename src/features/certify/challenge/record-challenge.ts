import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { challengeDigest, seedOf, type Challenge } from "./challenge.ts";
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
