import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  readPublicKey,
  readSigningKey,
  type KeyKind,
  type PublicKey,
  type SigningKey,
} from "../../../src/features/certify/keys/signing-key.ts";
import { challengeDigest, makeChallenge } from "../../../src/features/certify/challenge/challenge.ts";
import { signCommitment } from "../../../src/features/certify/challenge/commitment.ts";
import { memberNames } from "../../../src/features/certify/archive/member-names.ts";
import { packBundle, type BundleParts } from "../../../src/features/certify/bundle/pack-bundle.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";
import { archiveParts } from "../../../src/features/certify/bundle/certify-run.ts";

export interface KeyPair {
  readonly signing: SigningKey;
  readonly trusted: PublicKey;
  readonly privatePem: string;
  readonly publicPem: string;
}

export function makeKeys(kind: KeyKind): KeyPair {
  const { privateKey, publicKey } =
    kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privatePem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const publicPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return { signing: readSigningKey(privatePem), trusted: readPublicKey(publicPem), privatePem, publicPem };
}

/** A result without the figures that only charts draw: hundreds of attacks pack, unpack and digest it. */
const result = withoutCharts(buildSample().result);

function withoutCharts(sample: Result): Result {
  const { load, limits } = sample;
  if (load === null || limits === null) throw new Error("the sample lacks a stage");
  const profiles = load.profiles.map((profile) => ({
    ...profile,
    distributions: [],
    series: [],
    heatmap: null,
    streams: [],
    blocks: null,
  }));
  const policies = limits.policies.map((policy) => ({ ...policy, timeline: { ...policy.timeline, ops: [], feasible: [] } }));
  return { ...sample, load: { ...load, profiles }, limits: { ...limits, policies } };
}

/** A small bundle with every member that there is, whose evidence nobody judges. */
export function sampleMembers(key: SigningKey, { plain, ...change }: Partial<BundleParts> = {}): ReadonlyMap<string, Buffer> {
  const challenge = makeChallenge({ now: new Date("2026-11-22T11:00:00Z"), validForMs: 3_600_000, policySha256: null });
  const commitment = signCommitment(key, {
    challenge: challengeDigest(challenge),
    runId: result.runId,
    startedAt: result.startedAt,
    seed: result.seed,
    command: result.command,
    toolSha256: "00",
    catalogueSha256: "11",
  });
  return packBundle({
    result,
    product: { name: "Product", version: "1.0" },
    signedAt: "2026-11-22T12:00:00.000Z",
    toolSha256: "00",
    catalogueSha256: "11",
    packed: new Map([
      ["result.json", Buffer.from(JSON.stringify(result))],
      ["evidence.ndjson", Buffer.from('{"kind":"header","prev":null}\n')],
      ["load.ndjson", Buffer.from('{"kind":"header","prev":null}\n')],
      ["report.html", Buffer.from("<!doctype html>")],
      ["junit.xml", Buffer.from("<testsuites/>")],
    ]),
    plain: new Map([
      ["run.json", Buffer.from("{}")],
      ["manifest.json", Buffer.from('{"b":2}')],
      [memberNames.challenge, Buffer.from(JSON.stringify(challenge))],
      [memberNames.commitment, Buffer.from(JSON.stringify(commitment))],
      [memberNames.heads, Buffer.from('{"kind":"header","prev":null}\n')],
      ...(plain ?? []),
    ]),
    key,
    ...change,
  }).members;
}

const folder = mkdtempSync(join(tmpdir(), "assay-bundle-"));
let count = 0;

/** Writes bytes to a new file. */
export function writeBundle(bytes: Buffer): string {
  const path = join(folder, `${(count += 1)}.assay.tar`);
  writeFileSync(path, bytes);
  return path;
}

export function archiveOf(members: ReadonlyMap<string, Buffer>): Buffer {
  return Buffer.concat([...archiveParts(members)]);
}
