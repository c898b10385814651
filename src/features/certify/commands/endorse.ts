import { createHash } from "node:crypto";
import { createReadStream, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { Presentable } from "../present/statement-report.ts";
import { signEndorsement } from "../statement/endorsement.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { readToolVersion } from "../../../run/tool-version.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { digestPolicy } from "./digest-policy.ts";
import { readKey } from "../keys/read-key.ts";
import { verifyCommand, type VerifyFlags } from "./verify.ts";
import { output } from "../../../report/terminal/output.ts";

export interface EndorseFlags extends VerifyFlags {
  readonly key: string;
  readonly out?: string;
}

/** Verifies a bundle and, where it is accepted, signs that it was. */
export async function endorseCommand(bundle: string, flags: EndorseFlags): Promise<number> {
  if (flags.signatureOnly)
    throw new UsageError("an endorsement says that the verdicts follow from the evidence", "leave out --signature-only");
  const key = readKey(flags.key);
  const { exitCode, verified } = await verifyCommand(bundle, flags);
  if (exitCode !== exitCodes.met || verified === null) return exitCode;
  const policySha256 = digestPolicy(flags.policy);
  const envelope = signEndorsement(key, {
    bundle: { name: basename(bundle), sha256: await digestFile(bundle) },
    toolVersion: readToolVersion(),
    verifiedAt: new Date().toISOString(),
    policy: policySha256 === null ? null : { name: basename(flags.policy ?? ""), sha256: policySha256 },
    properties: propertiesOf(verified),
  });
  const out = flags.out ?? `${bundle}.endorsement.json`;
  writeFileSync(out, JSON.stringify(envelope), { flag: "wx" });
  output.print(`${out}\n`);
  return exitCodes.met;
}

/** The properties that were found, never those that were asked for. */
function propertiesOf({ rejudged, trust }: Presentable): readonly string[] {
  return [
    "ASSAY_ACCEPTED",
    ...(rejudged ? ["ASSAY_REJUDGED"] : []),
    ...(trust.startsWith("challenged") ? ["ASSAY_CHALLENGED"] : []),
    ...(trust.endsWith("spot-checked") ? ["ASSAY_SPOT_CHECKED"] : []),
  ];
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}
