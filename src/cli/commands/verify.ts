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
import { acceptBundle } from "../../run/certificate/accept-bundle.ts";
import { readText } from "../read-key.ts";
import { UsageError } from "../usage-error.ts";

export interface VerifyFlags {
  readonly trust: readonly string[];
  readonly policy?: string;
  readonly challenge?: string;
  readonly commitments?: string;
  readonly rejudge: boolean;
  readonly statement?: string;
}

/** Checks a bundle and says what was checked; opens no connection. */
export async function verifyCommand(bundle: string, flags: VerifyFlags): Promise<number> {
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
  const report = statementReport(accepted);
  say([
    ...report.lines,
    ...accepted.checked.map((line) => `checked: ${line}`),
    ...accepted.notChecked.map((line) => `not checked: ${line}`),
    ...accepted.unmet.map((line) => `policy: ${line}`),
    accepted.unmet.length === 0 ? "ACCEPTED" : "NOT ACCEPTED  the bundle is what it says it is, and the policy is not met",
  ]);
  if (flags.statement !== undefined) {
    writeFileSync(`${flags.statement}.md`, renderStatementMarkdown(report));
    writeFileSync(`${flags.statement}.html`, renderStatementHtml(report));
    writeFileSync(`${flags.statement}.svg`, renderBadgeSvg(report));
    writeFileSync(`${flags.statement}.earl.jsonld`, renderEarl(accepted));
  }
  return accepted.unmet.length === 0 ? exitCodes.met : exitCodes.findings;
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
