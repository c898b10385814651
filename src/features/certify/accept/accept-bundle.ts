import { performance } from "node:perf_hooks";
import { BundleError } from "../bundle-error.ts";
import { checkChallenge } from "../verify/check-challenge.ts";
import type { Challenge } from "../challenge/challenge.ts";
import type { PublicKey } from "../keys/signing-key.ts";
import { memberNames } from "../archive/member-names.ts";
import { judgePolicy, type Policy } from "../verify/policy.ts";
import { verifyBundle, type VerifiedBundle } from "../verify/verify-bundle.ts";
import { specification } from "../../../run/specification.ts";
import { digestCatalogue } from "../statement/digest-catalogue.ts";
import { rejudgeBundle, type RejudgedBundle } from "./rejudge-bundle.ts";
import { digestTool } from "../statement/tool-digest.ts";

export interface AcceptOptions {
  readonly path: string;
  readonly keys: readonly PublicKey[];
  readonly policy: Policy;
  readonly challenge: Challenge | null;
  readonly commitments: readonly unknown[] | null;
  readonly rejudge: boolean;
  readonly now: Date;
}

/** Time that a part of the checks took. */
export interface Effort {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** The cost of the checks; the owner of the process reports memory. */
export interface VerificationCost {
  /** Bytes of the bundle, and of what was unpacked of it to be hashed. */
  readonly hashedBytes: number;
  readonly hashing: Effort;
  /** null: it was not judged again. */
  readonly judging: Effort | null;
}

export interface AcceptedBundle extends VerifiedBundle {
  /** `self-asserted`: the word of its signer; `challenged`: a run that was asked for. */
  readonly trust: "self-asserted" | "challenged";
  readonly rejudged: RejudgedBundle | null;
  readonly cost: VerificationCost;
  readonly notChecked: readonly string[];
  /** Demands of the policy that are not met. */
  readonly unmet: readonly string[];
}

function startEffort(): () => Effort {
  const [began, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

/** Everything that can be said about a bundle without its target. Throws a BundleError, which names the member, where it is refused. */
export async function acceptBundle(options: AcceptOptions): Promise<AcceptedBundle> {
  const hashing = startEffort();
  const bundle = await verifyBundle(options.path, options.keys);
  const hashed = hashing();
  const { catalogue, specification: spec, tool } = bundle.predicate;
  if (catalogue.sha256 !== digestCatalogue() || spec.sha256 !== specification.sha256) {
    throw new BundleError(
      `${memberNames.envelope}: it was judged by another catalogue of requirements: verify it with assay ${tool.version}`,
    );
  }
  const challenged = await checkChallenge(bundle, options);
  // Anybody can issue a challenge to himself: it counts where it is the verifier's, and with the commitments that came before the run.
  const isChallenged = challenged.checked.length > 0 && options.challenge !== null && options.commitments !== null;
  const judging = startEffort();
  const rejudged = options.rejudge ? await rejudgeBundle(bundle) : null;
  const notChecked = [
    ...challenged.notChecked,
    ...(options.rejudge ? [] : ["that the verdicts follow from the evidence: without --signature-only it is judged again"]),
    ...(tool.sha256 === digestTool() ? [] : ["that the program which judged is this one: it was another build"]),
    "that the answers came from this product: whoever owns the target can make them up (docs/guide/certification.md)",
  ];
  return {
    ...bundle,
    checked: [...bundle.checked, ...challenged.checked, ...(rejudged?.checked ?? [])],
    trust: isChallenged ? "challenged" : "self-asserted",
    rejudged,
    cost: {
      hashedBytes:
        [...bundle.members.values()].reduce((sum, { bytes }) => sum + bytes, 0) +
        bundle.predicate.contents.reduce((sum, { bytes }) => sum + bytes, 0),
      hashing: hashed,
      judging: rejudged === null ? null : judging(),
    },
    notChecked,
    unmet: judgePolicy(options.policy, bundle.predicate, {
      now: options.now,
      isChallenged,
      isRejudged: rejudged !== null,
      challengeIssuedAt: isChallenged ? (options.challenge?.issuedAt ?? null) : null,
    }),
  };
}
