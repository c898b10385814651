import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BundleError } from "../bundle-error.ts";
import { type PublicKey, readPublicKey } from "../keys/signing-key.ts";
import { type Presentable, statementReport, type StatementReport, type TrustLevel } from "../present/statement-report.ts";
import { renderEarl } from "../present/render-earl.ts";
import { renderBadgeSvg, renderStatementHtml, renderStatementMarkdown } from "../present/render-statement.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { renderHtml } from "../../../report/html/render-html.ts";
import { renderMarkdown } from "../../../report/reporters/markdown.ts";
import { terminalText } from "../../../report/escape/terminal.ts";
import type { RejudgedBundle } from "../accept/rejudge-bundle.ts";
import { spotCheckBundle } from "../accept/spot-check-bundle.ts";
import { acceptBundle, type AcceptedBundle, type Effort } from "../accept/accept-bundle.ts";
import { requireTarget } from "../../../command/load-target.ts";
import { readText } from "../keys/read-key.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { type Challenge, readChallenge } from "../challenge/challenge.ts";
import { digestPolicy } from "./digest-policy.ts";
import { openPolicy } from "./open-policy.ts";
import { output } from "../../../report/terminal/output.ts";

export interface VerifyFlags {
  readonly trust: readonly string[];
  readonly policy?: string;
  readonly challenge?: string;
  readonly commitments?: string;
  readonly signatureOnly: boolean;
  readonly statement?: string;
  readonly spot?: number;
  readonly baseUrl?: string;
}

/** How it ended. */
export interface Verification {
  readonly exitCode: number;
  /** null: it was refused. */
  readonly verified: Presentable | null;
}

/** Checks a bundle and says what was checked; opens no connection but for `--spot`. */
export async function verifyCommand(bundle: string, flags: VerifyFlags): Promise<Verification> {
  if ((flags.spot === undefined) !== (flags.baseUrl === undefined)) {
    throw new UsageError("--spot sends requests of the bundle to --base-url", "give both, or none");
  }
  if (flags.trust.length === 0)
    throw new UsageError("nothing can be verified without a key to trust", "give --trust FILE, the public key of the signer");
  const keys = flags.trust.map(openTrusted);
  const accepted = await acceptBundle({
    path: bundle,
    keys,
    policy: flags.policy === undefined ? {} : openPolicy(flags.policy),
    challenge: flags.challenge === undefined ? null : openChallenge(flags.challenge, flags.policy),
    commitments: flags.commitments === undefined ? null : readCommitments(flags.commitments),
    rejudge: !flags.signatureOnly,
    now: new Date(),
  }).catch((error: unknown) => {
    if (error instanceof BundleError) return { refusal: error.message };
    throw error;
  });
  if ("refusal" in accepted) {
    say([`REFUSED  ${accepted.refusal}`]);
    return { exitCode: exitCodes.findings, verified: null };
  }
  const spot = await runSpotCheck(accepted, flags);
  const { rejudged } = accepted;
  const presentable: Presentable = {
    ...accepted,
    trust: trustOf(accepted, spot),
    rejudged: rejudged !== null,
    checked: [...accepted.checked, ...spot.checked],
    // A page must not look better than the exit code.
    unmet: [...spot.differ, ...accepted.unmet],
  };
  const report = statementReport(presentable);
  say([
    ...report.lines,
    ...presentable.checked.map((line) => `checked: ${line}`),
    ...accepted.notChecked.map((line) => `not checked: ${line}`),
    ...spot.differ.map((line) => `differs: ${line}`),
    ...accepted.unmet.map((line) => `policy: ${line}`),
    `cost: ${describeCost(accepted.cost)}`,
    spot.differ.length > 0
      ? "NOT ACCEPTED  the live target answers otherwise than the bundle says"
      : accepted.unmet.length === 0
        ? rejudged === null
          ? "ACCEPTED BY SIGNATURE ONLY  the verdicts are the word of the signer: nothing was judged again"
          : "ACCEPTED"
        : "NOT ACCEPTED  the bundle is what it says it is, and the policy is not met",
  ]);
  if (flags.statement !== undefined) {
    writeFileSync(`${flags.statement}.md`, renderStatementMarkdown(report));
    writeFileSync(`${flags.statement}.html`, renderStatementHtml(report));
    writeFileSync(`${flags.statement}.svg`, renderBadgeSvg(report));
    writeFileSync(`${flags.statement}.earl.jsonld`, renderEarl(presentable));
    // The report of a stranger is a program: only one that was rendered here is written.
    if (rejudged !== null) writeReport(flags.statement, report, rejudged);
  }
  // `isOpen`: asked for, and nothing came of it.
  const exitCode = presentable.unmet.length > 0 ? exitCodes.findings : spot.isOpen ? exitCodes.invalid : exitCodes.met;
  return { exitCode, verified: presentable };
}

function openTrusted(file: string): PublicKey {
  try {
    return readPublicKey(readText(file));
  } catch (error) {
    throw error instanceof BundleError ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

function writeReport(path: string, report: StatementReport, { result, exchanges }: RejudgedBundle): void {
  writeFileSync(`${path}.report.html`, renderHtml(result, exchanges, { bundle: report }));
  writeFileSync(`${path}.report.md`, `${renderStatementMarkdown(report)}\n${renderMarkdown(result)}`);
}

function trustOf({ trust }: AcceptedBundle, { checked, differ, isOpen }: Spot): TrustLevel {
  if (checked.length === 0 || isOpen || differ.length > 0) return trust;
  return trust === "challenged" ? "challenged and spot-checked" : "spot-checked";
}

function describeCost({ hashedBytes, hashing, judging }: AcceptedBundle["cost"]): string {
  const took = ({ seconds, cpuSeconds }: Effort): string => `in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU)`;
  const again = judging === null ? "not judged again" : `judged again ${took(judging)}`;
  const memory = Math.round(process.resourceUsage().maxRSS / 1000);
  return `${(hashedBytes / 1e6).toFixed(1)} MB unpacked and hashed ${took(hashing)}, ${again}, at most ${memory} MB of memory`;
}

interface Spot {
  readonly checked: readonly string[];
  readonly differ: readonly string[];
  readonly isOpen: boolean;
}

async function runSpotCheck(accepted: AcceptedBundle, { spot, baseUrl }: VerifyFlags): Promise<Spot> {
  if (spot === undefined || baseUrl === undefined) return { checked: [], differ: [], isOpen: false };
  const { manifest } = requireTarget({ baseUrl });
  const { same, differ, open, eligible } = await spotCheckBundle(accepted, manifest, spot);
  const drawn = same + differ.length + open;
  const text = `${drawn} of ${eligible} exchanges, drawn now, were sent to ${baseUrl} again: ${same} are judged alike, ${differ.length} are not, ${open} could not be decided`;
  return { checked: [text], differ, isOpen: same === 0 };
}

/** The commitments in the folder: a file that is no commitment of the signer counts for nothing. */
function readCommitments(folder: string): readonly unknown[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name): unknown => {
      try {
        return JSON.parse(readText(join(folder, name)));
      } catch {
        return null;
      }
    });
}

function say(lines: readonly string[]): void {
  output.print(`${lines.map(terminalText).join("\n")}\n`);
}

/** A challenge that a verifier issued; one that names a policy is verified with that one. */
function openChallenge(file: string, policy: string | undefined): Challenge {
  const challenge = readChallenge(readText(file));
  const digest = digestPolicy(policy);
  if (challenge.policySha256 !== null && challenge.policySha256 !== digest)
    throw new UsageError(`${file} was issued with another policy`, "give that file with --policy");
  return challenge;
}
