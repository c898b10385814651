import { basename, resolve } from "node:path";
import { readPublicKey } from "../keys/signing-key.ts";
import { createPublicKey } from "node:crypto";
import { exitCodes } from "../../../core/result/verdict.ts";
import { certifyRun } from "../bundle/certify-run.ts";
import { chooseRunFolder } from "../../../command/choose-run-folder.ts";
import { readKey } from "../keys/read-key.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { UnsignableError } from "../unsignable-error.ts";
import { output } from "../../../report/terminal/output.ts";

export interface CertifyFlags {
  readonly key: string;
  readonly out?: string;
  readonly product?: string;
  readonly productVersion?: string;
}

/** Writes one signed file of a run. */
export async function certifyCommand(asked: string, flags: CertifyFlags): Promise<number> {
  const folder = chooseRunFolder(asked);
  const key = readKey(flags.key);
  const out = flags.out ?? `${basename(resolve(folder))}.assay.tar`;
  const { product, productVersion } = flags;
  if ((product === undefined) !== (productVersion === undefined)) {
    throw new UsageError("a product has a name and a version", "give --product and --product-version");
  }
  const signed = await certifyRun({
    folder,
    out,
    key,
    now: new Date(),
    product: product === undefined || productVersion === undefined ? null : { name: product, version: productVersion },
  }).catch((error: unknown) => {
    if (error instanceof UnsignableError) return error;
    throw error;
  });
  if (signed instanceof UnsignableError) {
    output.refuse(`assay: ${signed.message}`);
    return signed.exitCode;
  }
  const { pem } = readPublicKey(createPublicKey(key.key).export({ type: "spki", format: "pem" }).toString());
  const level = signed.challenge === null ? "self-asserted" : "held to a challenge";
  const text = `${out}\n${level}; verdict ${signed.verdict.verdict}: ${signed.verdict.reason}\nkey ${key.id}\n${pem}`;
  output.print(text);
  return exitCodes.met;
}
