import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { shortName } from "../../../core/short-value.ts";
import { BundleError } from "../bundle-error.ts";
import type { Predicate } from "../statement/predicate.ts";

/** The demands of a verifier on a bundle; every member may be left out. */
export interface Policy {
  /** `passed` (default): nothing was violated, all in scope judged; `any`: the bundle only has to be what it says. */
  readonly verdict?: "passed" | "any";
  /** Suites that must be conformant. */
  readonly suites?: readonly string[];
  /** Requirements that may stay untested or inconclusive; absent: any may. */
  readonly mayBeOpen?: readonly string[];
  /** Load gates that must have passed, as written: `ttft.p95 < 800ms`. */
  readonly gates?: readonly string[];
  /** The run was held to a challenge. */
  readonly challenge?: boolean;
  /** The verdicts were computed anew from the record. */
  readonly rejudged?: boolean;
  /** Days from the start of the run until the bundle is too old. */
  readonly maxAgeDays?: number;
  /** Name of the product that it must be about. */
  readonly product?: string;
}

const forms: Readonly<Record<keyof Policy, (value: unknown) => boolean>> = {
  verdict: (value) => value === "passed" || value === "any",
  suites: isTexts,
  mayBeOpen: isTexts,
  gates: isTexts,
  challenge: (value) => typeof value === "boolean",
  rejudged: (value) => typeof value === "boolean",
  maxAgeDays: (value) => typeof value === "number" && value > 0,
  product: (value) => typeof value === "string",
};

/** Reads a policy; throws a BundleError that names the member. */
export function readPolicy(value: unknown): Policy {
  if (!isJsonObject(value)) throw new BundleError("the policy is not an object");
  for (const [name, member] of Object.entries(value)) {
    const isWellFormed = Object.entries(forms).find(([known]) => known === name)?.[1];
    if (isWellFormed === undefined) throw new BundleError(`the policy holds "${shortName(name)}", which is not known`);
    if (!isWellFormed(member)) throw new BundleError(`the policy holds a value of "${name}" that cannot be used`);
  }
  return value;
}

export interface Circumstances {
  readonly now: Date;
  readonly isChallenged: boolean;
  readonly isRejudged: boolean;
  /** null: the run was not shown to be held to a challenge. */
  readonly challengeIssuedAt: string | null;
}

/** The demands of the policy that the bundle does not meet, one line each. */
export function judgePolicy(
  policy: Policy,
  predicate: Predicate,
  { now, isChallenged, isRejudged, challengeIssuedAt }: Circumstances,
): readonly string[] {
  const unmet: string[] = [];
  const { verdict, suites, gates, product, requirements, run } = predicate;
  if ((policy.verdict ?? "passed") === "passed" && verdict.verdict !== "passed")
    unmet.push(`the verdict is "${verdict.verdict}": ${verdict.reason}`);
  for (const wanted of policy.suites ?? []) {
    const suite = suites.find(({ id }) => id === wanted);
    if (suite?.verdict !== "conformant") unmet.push(`suite ${wanted} is ${suite?.verdict ?? "not judged"}, not conformant`);
  }
  if (policy.mayBeOpen !== undefined) {
    const open = [...(requirements.untested ?? []), ...(requirements.inconclusive ?? [])];
    for (const one of open) {
      const id = typeof one === "string" ? one : one.id;
      if (!policy.mayBeOpen.includes(id)) unmet.push(`${id} was not judged`);
    }
  }
  for (const wanted of policy.gates ?? []) {
    const found = gates.filter(({ gate }) => gate === wanted);
    if (found.length === 0 || found.some((gate) => gate.verdict !== "pass")) unmet.push(`the gate ${wanted} was not passed`);
  }
  if (policy.challenge === true && !isChallenged)
    unmet.push("the run was not shown to be the only one for a challenge of yours: give --challenge and --commitments");
  if (policy.product !== undefined && policy.product !== product.name) unmet.push(`it is about the product ${product.name}`);
  if (policy.rejudged === true && !isRejudged)
    unmet.push("the verdicts were not computed anew from the record: leave out --signature-only");
  unmet.push(...findMisfits(predicate, now, challengeIssuedAt));
  const ageDays = (now.getTime() - Date.parse(run.startedAt)) / 86_400_000;
  if (policy.maxAgeDays !== undefined) {
    if (!(ageDays <= policy.maxAgeDays)) unmet.push(`the run is ${ageDays.toFixed(1)} days old`);
    const signedDays = (now.getTime() - Date.parse(predicate.signedAt)) / 86_400_000;
    if (signedDays > policy.maxAgeDays && ageDays <= policy.maxAgeDays)
      unmet.push(`it was signed ${signedDays.toFixed(1)} days ago`);
  }
  return unmet;
}

/** The instants of a bundle that cannot be in this order, whoever set the clocks. */
function findMisfits({ run, signedAt }: Predicate, now: Date, challengeIssuedAt: string | null): readonly string[] {
  const [started, signed] = [Date.parse(run.startedAt), Date.parse(signedAt)];
  const ended = started + run.durationMs;
  const misfits: string[] = [];
  const later = (one: number, other: number): boolean => one - other > clockAllowanceDays * 86_400_000;
  if (later(started, now.getTime()))
    misfits.push(`the run is dated ${((started - now.getTime()) / 86_400_000).toFixed(1)} days in the future`);
  if (later(signed, now.getTime())) misfits.push(`it is signed in the future, at ${signedAt}`);
  if (later(ended, signed)) misfits.push(`it is signed at ${signedAt}, before its run ended`);
  if (challengeIssuedAt !== null && later(Date.parse(challengeIssuedAt), started))
    misfits.push(`the run began at ${run.startedAt}, before its challenge was issued`);
  return misfits;
}

/** An hour: what clocks of a vendor and of a verifier may differ by before an age means nothing. */
const clockAllowanceDays = 1 / 24;

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
