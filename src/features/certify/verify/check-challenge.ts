import { tryJson } from "../../../core/exchange/bodies/recorded-json.ts";
import { wholeContent } from "../archive/read-content.ts";
import { BundleError } from "../bundle-error.ts";
import { challengeDigest, readChallenge, seedOf, type Challenge } from "../challenge/challenge.ts";
import { commitmentDigest, openCommitment, type Commitment } from "../challenge/commitment.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { PublicKey } from "../keys/signing-key.ts";
import { memberNames } from "../archive/member-names.ts";
import type { VerifiedBundle } from "./verify-bundle.ts";

export interface ChallengeCheck {
  /** That the verifier issued; null: it asks for none. */
  readonly challenge: Challenge | null;
  /** That the verifier was handed before the run, in whatever number; null: none were kept. */
  readonly commitments: readonly unknown[] | null;
  readonly keys: readonly PublicKey[];
}

export interface CheckedChallenge {
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
}

const smallBytes = 1024 * 1024;

/**
 * Whether the run is the one that was committed to for this challenge, and the only one that was begun. Throws a BundleError
 * that names the member.
 */
export async function checkChallenge(bundle: VerifiedBundle, check: ChallengeCheck): Promise<CheckedChallenge> {
  const { predicate, members, signer } = bundle;
  const { challenge: claimed, run } = predicate;
  if (claimed === null) {
    if (check.challenge !== null) throw new BundleError(`${memberNames.challenge}: the run was not made with a challenge`);
    return { checked: [], notChecked: ["that this is not the best of many runs: no challenge was asked for"] };
  }
  const refuse = (name: string, why: string): never => {
    throw new BundleError(`${name}: ${why}`);
  };
  const read = async (name: string): Promise<string> => {
    const member = members.get(name);
    return member === undefined ? refuse(name, "the bundle lacks it") : (await wholeContent(member, smallBytes)).toString("utf8");
  };
  const own = readChallenge(await read(memberNames.challenge));
  const digest = challengeDigest(own);
  if (claimed.sha256 !== digest) refuse(memberNames.challenge, "it is not the one that the statement names");
  if (check.challenge !== null && challengeDigest(check.challenge) !== digest)
    refuse(memberNames.challenge, "it is another challenge");
  const envelope = tryJson(await read(memberNames.commitment));
  const opened = openCommitment(envelope, [signer]);
  const commitment = "problem" in opened ? refuse(memberNames.commitment, opened.problem) : opened.commitment;
  if (claimed.commitment !== commitmentDigest(envelope as Envelope))
    refuse(memberNames.commitment, "it is not the one that the statement names");
  const differs = differenceOf(commitment, { digest, predicate });
  if (differs !== null) refuse(memberNames.commitment, `it was made for another run: ${differs}`);
  if (run.seed !== seedOf(own)) refuse(memberNames.record, "its seed is not that of the challenge");
  const startedAt = Date.parse(run.startedAt);
  if (startedAt < Date.parse(own.issuedAt) || startedAt > Date.parse(own.expiresAt)) {
    refuse(memberNames.record, "by its own account the run began before the challenge was issued or after it expired");
  }
  const checked = ["the seed follows from the challenge, and the run was committed to with the same key"];
  const notChecked: string[] = [];
  if (check.challenge === null) notChecked.push("that the challenge is one that you issued: give it with --challenge");
  if (check.commitments === null) {
    notChecked.push("that no other run was begun for this challenge: give the commitments that you received with --commitments");
    return { checked, notChecked };
  }
  const begun = begunFor(digest, check.commitments, [...check.keys, signer]);
  const isHandedOver = begun.has(commitmentDigest(envelope as Envelope));
  if (!isHandedOver) refuse(memberNames.commitment, "it is not among those that you received before the run");
  if (begun.size > 1)
    refuse(memberNames.commitment, `${begun.size} runs were begun for this challenge, and this is one picked from them`);
  return { checked: [...checked, "it is the only run that was committed to for this challenge"], notChecked };
}

/** Digests of the commitments of these keys for the challenge. */
function begunFor(challenge: string, envelopes: readonly unknown[], keys: readonly PublicKey[]): ReadonlySet<string> {
  const begun = new Set<string>();
  for (const envelope of envelopes) {
    const opened = openCommitment(envelope, keys);
    if (!("problem" in opened) && opened.commitment.challenge === challenge) begun.add(commitmentDigest(envelope as Envelope));
  }
  return begun;
}

function differenceOf(
  commitment: Commitment,
  { digest, predicate }: { readonly digest: string; readonly predicate: VerifiedBundle["predicate"] },
): string | null {
  const { run, tool, catalogue } = predicate;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["challenge", commitment.challenge, digest],
    ["run", commitment.runId, run.id],
    ["start", commitment.startedAt, run.startedAt],
    ["seed", commitment.seed, run.seed],
    ["tool", commitment.toolSha256, tool.sha256],
    ["catalogue", commitment.catalogueSha256, catalogue.sha256],
  ];
  return pairs.find(([, one, other]) => one !== other)?.[0] ?? null;
}
