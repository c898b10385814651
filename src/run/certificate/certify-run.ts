import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeArchive } from "../../certificate/archive/write-archive.ts";
import { CertificateError } from "../../certificate/certificate-error.ts";
import { challengeDigest, readChallenge } from "../../certificate/challenge/challenge.ts";
import { commitmentDigest } from "../../certificate/challenge/commitment.ts";
import { signEnvelope, type Envelope } from "../../certificate/envelope/envelope.ts";
import { sigstoreBundle } from "../../certificate/envelope/sigstore-bundle.ts";
import type { SigningKey } from "../../certificate/keys/signing-key.ts";
import { memberNames } from "../../certificate/member-names.ts";
import { describeResult, type Content, type Predicate, type Product } from "../../certificate/statement/predicate.ts";
import { writeStatement } from "../../certificate/statement/statement.ts";
import { visibleJson } from "../../core/exchange/visible-json.ts";
import { judgeRun } from "../record/judge-run.ts";
import { readRun } from "../record/read-run.ts";
import { renderStandard } from "../record/write-reports.ts";
import { digestCatalogue } from "./digest-catalogue.ts";
import { digestTool } from "./tool-digest.ts";

export interface CertifyOptions {
  readonly folder: string;
  readonly out: string;
  readonly key: SigningKey;
  /** Default: name of the target, version as unknown. */
  readonly product: Product | null;
}

/**
 * Judges a saved run again and writes it, with what follows from it and a signed statement about it, as one file that must not exist
 * yet. Throws a CertificateError where the record was changed.
 */
export async function certifyRun({ folder, out, key, product }: CertifyOptions): Promise<Predicate> {
  const { record, exchanges, load, problems } = await readRun(folder);
  if (problems[0] !== undefined) throw new CertificateError(`what was changed is not signed: ${problems[0]}`);
  const result = judgeRun(record, exchanges, load);
  const rendered = await renderStandard(result, exchanges);
  const members = new Map<string, Buffer>();
  const contents: Content[] = [];
  const pack = (name: string, bytes: Buffer): void => {
    members.set(`${name}.gz`, gzipSync(bytes, { level: 9 }));
    contents.push({ name, bytes: bytes.length, sha256: digest(bytes) });
  };
  for (const [name, text] of rendered) pack(name, Buffer.from(text));
  for (const name of ["evidence.ndjson", "load.ndjson"]) {
    if (existsSync(join(folder, name))) pack(name, readFileSync(join(folder, name)));
  }
  members.set(memberNames.record, readFileSync(join(folder, "run.json")));
  members.set(memberNames.manifest, Buffer.from(`${visibleJson(record.manifest, 1)}\n`));
  for (const name of [memberNames.challenge, memberNames.commitment, memberNames.heads]) {
    if (existsSync(join(folder, name))) members.set(name, readFileSync(join(folder, name)));
  }
  const predicate = describeResult({
    product: product ?? { name: result.target.name, version: "unknown" },
    result,
    toolSha256: digestTool(),
    catalogueSha256: digestCatalogue(),
    challenge: describeChallenge(members),
    contents,
  });
  const digests = new Map([...members].map(([name, bytes]) => [name, digest(bytes)]));
  const envelope = signEnvelope(key, writeStatement(digests, predicate));
  members.set(memberNames.envelope, Buffer.from(JSON.stringify(envelope)));
  members.set(memberNames.sigstore, Buffer.from(JSON.stringify(sigstoreBundle(envelope))));
  writeArchive(out, members);
  return predicate;
}

function describeChallenge(members: ReadonlyMap<string, Buffer>): Predicate["challenge"] {
  const challenge = members.get(memberNames.challenge);
  const commitment = members.get(memberNames.commitment);
  if (challenge === undefined || commitment === undefined) return null;
  return {
    sha256: challengeDigest(readChallenge(challenge.toString("utf8"))),
    commitment: commitmentDigest(JSON.parse(commitment.toString("utf8")) as Envelope),
  };
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
