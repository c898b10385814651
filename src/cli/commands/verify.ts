import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { CertificateError } from "../../certificate/certificate-error.ts";
import { readChallenge } from "../../certificate/challenge/challenge.ts";
import { readPublicKey } from "../../certificate/keys/signing-key.ts";
import { statementReport } from "../../certificate/present/statement-report.ts";
import { renderEarl } from "../../certificate/present/render-earl.ts";
import { renderStatementHtml } from "../../certificate/present/render-statement-html.ts";
import { renderStatementMarkdown } from "../../certificate/present/render-statement-markdown.ts";
import { renderBadgeSvg } from "../../certificate/present/render-badge-svg.ts";
import { readPolicy, type Policy } from "../../certificate/verify/policy.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { spotCheckBundle } from "../../run/certificate/spot-check-bundle.ts";
import { acceptBundle, type AcceptedBundle } from "../../run/certificate/accept-bundle.ts";
import { requireTarget } from "../load-target.ts";
import { readText } from "../read-key.ts";
import { UsageError } from "../usage-error.ts";

export interface VerifyFlags {
  readonly trust: readonly string[];
  readonly policy?: string;
  readonly challenge?: string;
  readonly commitments?: string;
  readonly rejudge: boolean;
  readonly statement?: string;
  readonly spot?: number;
  readonly baseUrl?: string;
}

/** Checks a bundle and says what was checked; opens no connection. */
export async function verifyCommand(bundle: string, flags: VerifyFlags): Promise<number> {
  if ((flags.spot === undefined) !== (flags.baseUrl === undefined)) {
    throw new UsageError("--spot sends requests of the bundle to --base-url", "give both, or none");
  }
  if (flags.trust.length === 0)
    throw new UsageError("nothing can be verified without a key to trust", "give --trust FILE, the public key of the signer");
  const keys = flags.trust.map((file) => readPublicKey(readText(file)));
  const accepted = await acceptBundle({
    path: bundle,
    keys,
    policy: flags.policy === undefined ? {} : openPolicy(flags.policy),
    challenge: flags.challenge === undefined ? null : readChallenge(readText(flags.challenge)),
    commitments: flags.commitments === undefined ? null : readCommitments(flags.commitments),
    rejudge: flags.rejudge,
    now: new Date(),
  }).catch((error: unknown) => {
    if (error instanceof CertificateError) return { refusal: error.message };
    throw error;
  });
  if ("refusal" in accepted) {
    say([`REFUSED  ${accepted.refusal}`]);
    return exitCodes.findings;
  }
  const spot = await runSpotCheck(accepted, flags);
  const report = statementReport(accepted);
  say([
    ...report.lines,
    ...[...accepted.checked, ...spot.checked].map((line) => `checked: ${line}`),
    ...accepted.notChecked.map((line) => `not checked: ${line}`),
    ...spot.differ.map((line) => `differs: ${line}`),
    ...accepted.unmet.map((line) => `policy: ${line}`),
    spot.differ.length > 0
      ? "NOT ACCEPTED  the live target answers otherwise than the bundle says"
      : accepted.unmet.length === 0
        ? "ACCEPTED"
        : "NOT ACCEPTED  the bundle is what it says it is, and the policy is not met",
  ]);
  if (flags.statement !== undefined) {
    writeFileSync(`${flags.statement}.md`, renderStatementMarkdown(report));
    writeFileSync(`${flags.statement}.html`, renderStatementHtml(report));
    writeFileSync(`${flags.statement}.svg`, renderBadgeSvg(report));
    writeFileSync(`${flags.statement}.earl.jsonld`, renderEarl(accepted));
  }
  if (spot.differ.length > 0 || accepted.unmet.length > 0) return exitCodes.findings;
  // Asked for, and nothing came of it.
  return spot.isOpen ? exitCodes.invalid : exitCodes.met;
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
  const text = `${drawn} of ${eligible} exchanges, drawn now, were sent to ${baseUrl} again: ${same} are judged alike, ${differ.length} are not, ${open} cannot be told`;
  return { checked: [text], differ, isOpen: same === 0 };
}

function openPolicy(file: string): Policy {
  let value: unknown;
  try {
    value = parseYaml(readText(file));
  } catch (error) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readPolicy(value);
}

/** Whatever lies in the folder: what is no commitment of the signer counts for nothing. */
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
  process.stdout.write(`${lines.map(terminalText).join("\n")}\n`);
}
