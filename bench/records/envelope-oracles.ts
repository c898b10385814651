import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEnvelope } from "../../src/features/certify/envelope/envelope.ts";
import { readPublicKey } from "../../src/features/certify/keys/signing-key.ts";
import { signEndorsement } from "../../src/features/certify/statement/endorsement.ts";
import { makeKeys, sampleMembers } from "../../test/features/certify/sample-bundle.ts";

/*
 * Our attestations before tools of others, and theirs before ours. The tools are installed into a folder that is deleted afterwards:
 * securesystemslib and in-toto-attestation from PyPI (needs python3 with venv), @sigstore/bundle and @sigstore/verify from npm.
 *   npx tsx bench/records/envelope-oracles.ts
 */
const folder = mkdtempSync(join(tmpdir(), "assay-oracles-"));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
for (const kind of ["ed25519", "p256"] as const) {
  const keys = makeKeys(kind);
  const members = sampleMembers(keys.signing);
  writeFileSync(join(folder, `${kind}.pem`), keys.publicPem);
  writeFileSync(join(folder, `${kind}.dsse.json`), members.get("attestation.dsse.json") ?? "");
  const endorsement = signEndorsement(keys.signing, {
    bundle: { name: "bundle.assay.tar", sha256: "00".repeat(32) },
    toolVersion: "0",
    verifiedAt: "2026-11-22T12:00:00Z",
    policy: null,
    properties: ["ASSAY_ACCEPTED"],
  });
  writeFileSync(join(folder, `${kind}.endorsement.json`), JSON.stringify(endorsement));
  writeFileSync(join(folder, `${kind}.sigstore.json`), members.get("attestation.sigstore.json") ?? "");
}
const inFolder = { cwd: folder, encoding: "utf8" } as const;
execFileSync("python3", ["-m", "venv", "venv"], inFolder);
const python = join(folder, "venv/bin/python");
const packages = ["securesystemslib[crypto]==1.6.0", "in-toto-attestation==0.9.3"];
execFileSync(python, ["-m", "pip", "install", "--quiet", ...packages], inFolder);
say(execFileSync(python, [join(import.meta.dirname, "envelope-oracle.py"), folder], inFolder).trim());
accept("securesystemslib", "theirs.dsse.json", "theirs.pem");

writeFileSync(join(folder, "package.json"), '{"type":"module"}');
execFileSync(
  "npm",
  ["install", "--silent", "@sigstore/bundle@4.0.0", "@sigstore/verify@3.1.1", "@sigstore/sign@4.1.1"],
  inFolder,
);
const script = `
import { readFileSync, writeFileSync } from "node:fs";
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { bundleFromJSON, bundleToJSON } from "@sigstore/bundle";
import { DSSEBundleBuilder } from "@sigstore/sign";
import { toSignedEntity, Verifier } from "@sigstore/verify";
for (const kind of ["ed25519", "p256"]) {
  const bundle = bundleFromJSON(JSON.parse(readFileSync(kind + ".sigstore.json", "utf8")));
  const publicKey = createPublicKey(readFileSync(kind + ".pem", "utf8"));
  const material = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [], publicKey: () => ({ publicKey, validFor: () => true }) };
  const verifier = new Verifier(material, { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 });
  verifier.verify(toSignedEntity(bundle));
  console.log("@sigstore/verify accepts the " + kind + " bundle");
}
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const pem = publicKey.export({ type: "spki", format: "pem" });
const signer = { sign: async (data) => ({ signature: sign(null, data, privateKey), key: { $case: "publicKey", publicKey: pem, hint: "theirs" } }) };
const data = Buffer.from('{"_type":"https://in-toto.io/Statement/v1"}');
const theirs = await new DSSEBundleBuilder({ signer, witnesses: [] }).create({ data, type: "application/vnd.in-toto+json" });
writeFileSync("sigstore.pem", pem);
writeFileSync("sigstore.json", JSON.stringify(bundleToJSON(theirs).dsseEnvelope));`;
writeFileSync(join(folder, "sigstore.mjs"), script);
say(execFileSync(process.execPath, ["sigstore.mjs"], inFolder).trim());
accept("@sigstore/sign", "sigstore.json", "sigstore.pem");
rmSync(folder, { recursive: true });

function accept(whose: string, envelope: string, key: string): void {
  const theirs: unknown = JSON.parse(readFileSync(join(folder, envelope), "utf8"));
  const opened = openEnvelope(theirs, [readPublicKey(readFileSync(join(folder, key), "utf8"))]);
  if ("problem" in opened) throw new Error(`we refuse an envelope of ${whose}: ${opened.problem}`);
  say(`we accept the envelope of ${whose}`);
}
