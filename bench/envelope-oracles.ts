import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEnvelope } from "../src/certificate/envelope/envelope.ts";
import { readPublicKey } from "../src/certificate/keys/signing-key.ts";
import { makeKeys, sampleMembers } from "../test/certificate/sample-bundle.ts";

/*
 * Our attestations before tools of others, and theirs before ours. The tools are installed into a folder that is deleted afterwards:
 * securesystemslib and in-toto-attestation from PyPI (needs python3 with venv), @sigstore/bundle and @sigstore/verify from npm.
 *   npx tsx bench/envelope-oracles.ts
 */
const folder = mkdtempSync(join(tmpdir(), "assay-oracles-"));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
for (const kind of ["ed25519", "p256"] as const) {
  const keys = makeKeys(kind);
  const members = sampleMembers(keys.signing);
  writeFileSync(join(folder, `${kind}.pem`), keys.publicPem);
  writeFileSync(join(folder, `${kind}.dsse.json`), members.get("attestation.dsse.json") ?? "");
  writeFileSync(join(folder, `${kind}.sigstore.json`), members.get("attestation.sigstore.json") ?? "");
}
const inFolder = { cwd: folder, encoding: "utf8" } as const;
execFileSync("python3", ["-m", "venv", "venv"], inFolder);
const python = join(folder, "venv/bin/python");
const packages = ["securesystemslib[crypto]==1.6.0", "in-toto-attestation==0.9.3"];
execFileSync(python, ["-m", "pip", "install", "--quiet", ...packages], inFolder);
say(execFileSync(python, [join(import.meta.dirname, "envelope-oracle.py"), folder], inFolder).trim());
const theirs: unknown = JSON.parse(readFileSync(join(folder, "theirs.dsse.json"), "utf8"));
const opened = openEnvelope(theirs, [readPublicKey(readFileSync(join(folder, "theirs.pem"), "utf8"))]);
if ("problem" in opened) throw new Error(`we refuse an envelope of securesystemslib: ${opened.problem}`);
say("we accept the envelope of securesystemslib");

writeFileSync(join(folder, "package.json"), '{"type":"module"}');
execFileSync("npm", ["install", "--silent", "@sigstore/bundle@4.0.0", "@sigstore/verify@3.1.1"], inFolder);
const script = `
import { readFileSync } from "node:fs";
import { createPublicKey } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, Verifier } from "@sigstore/verify";
for (const kind of ["ed25519", "p256"]) {
  const bundle = bundleFromJSON(JSON.parse(readFileSync(kind + ".sigstore.json", "utf8")));
  const publicKey = createPublicKey(readFileSync(kind + ".pem", "utf8"));
  const material = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [], publicKey: () => ({ publicKey, validFor: () => true }) };
  const verifier = new Verifier(material, { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 });
  verifier.verify(toSignedEntity(bundle));
  console.log("@sigstore/verify accepts the " + kind + " bundle");
}`;
writeFileSync(join(folder, "sigstore.mjs"), script);
say(execFileSync(process.execPath, ["sigstore.mjs"], inFolder).trim());
rmSync(folder, { recursive: true });
