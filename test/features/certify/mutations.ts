import { gunzipSync, gzipSync } from "node:zlib";
import { tarHeader } from "../../../src/features/certify/archive/tar-header.ts";
import { signEnvelope, type Envelope } from "../../../src/features/certify/envelope/envelope.ts";
import { sigstoreBundle } from "../../../src/features/certify/envelope/sigstore-bundle.ts";
import type { SigningKey } from "../../../src/features/certify/keys/signing-key.ts";
import type { Random } from "../../../src/core/random.ts";
import { archiveOf } from "./sample-bundle.ts";

/** Of a bundle, by name. */
export type Members = Map<string, Buffer>;
/** Changes the bytes of an archive, or the members that one is made of; null: it does not apply to this member. */
export type Mutation = (given: {
  readonly members: Members;
  readonly name: string;
  readonly random: Random;
  readonly other: Members;
  /** A key that nobody trusts. */
  readonly stranger: SigningKey;
}) => Buffer | null;

const of = (members: Members, name: string): Buffer => members.get(name) ?? Buffer.alloc(0);
const changed = (members: Members, name: string, bytes: Buffer): Buffer => archiveOf(new Map([...members, [name, bytes]]));
/** A member as the archive holds it, with another header or content. */
const entry = (name: string, bytes: Buffer, header = tarHeader(name, bytes.length)): Buffer =>
  Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
const sorted = (members: Members): readonly (readonly [string, Buffer])[] =>
  [...members].toSorted(([one], [other]) => (one < other ? -1 : 1));
const joined = (entries: readonly Buffer[]): Buffer => Buffer.concat([...entries, Buffer.alloc(1024)]);
const envelopeOf = (members: Members): Envelope => JSON.parse(of(members, "attestation.dsse.json").toString()) as Envelope;
/** Another envelope, and the Sigstore bundle that goes with it. */
const resealed = (members: Members, envelope: object): Buffer =>
  archiveOf(
    new Map([
      ...members,
      ["attestation.dsse.json", Buffer.from(JSON.stringify(envelope))],
      ["attestation.sigstore.json", Buffer.from(JSON.stringify(sigstoreBundle(envelope as Envelope)))],
    ]),
  );
const restated = (members: Members, change: (statement: Record<string, unknown>) => unknown): Buffer => {
  const envelope = envelopeOf(members);
  const statement = JSON.parse(Buffer.from(envelope.payload, "base64").toString()) as Record<string, unknown>;
  return resealed(members, { ...envelope, payload: Buffer.from(JSON.stringify(change(statement))).toString("base64") });
};
/** The same statement below other signatures. */
const resigned = (members: Members, change: (signatures: Envelope["signatures"]) => readonly object[]): Buffer => {
  const envelope = envelopeOf(members);
  return resealed(members, { ...envelope, signatures: change(envelope.signatures) });
};
const forgedBy = (stranger: SigningKey, members: Members): Envelope =>
  signEnvelope(stranger, Buffer.from(envelopeOf(members).payload, "base64"));
const withPredicate = (members: Members, change: (predicate: { readonly tool?: object }) => object): Buffer =>
  restated(members, ({ predicate, ...rest }) => ({
    ...rest,
    predicate: { ...(predicate as object), ...change(predicate as object) },
  }));
const reheaded = (members: Members, name: string, change: (header: Buffer) => void): Buffer =>
  joined(
    sorted(members).map(([one, bytes]) => {
      const header = tarHeader(one, bytes.length);
      if (one === name) {
        change(header);
        header.fill(" ", 148, 156);
        const sum = header.reduce((total, byte) => total + byte, 0);
        header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
      }
      return entry(one, bytes, header);
    }),
  );

/** Of one member, which the refusal has to name. */
export const memberMutations: Readonly<Record<string, Mutation>> = {
  "bit flip in the content": ({ members, name, random }) => {
    const bytes = Buffer.from(of(members, name));
    const at = random.integer(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    return changed(members, name, bytes);
  },
  "truncated member": ({ members, name, random }) =>
    changed(members, name, of(members, name).subarray(0, random.integer(0, of(members, name).length - 1))),
  "deleted member": ({ members, name }) => archiveOf(new Map([...members].filter(([one]) => one !== name))),
  "members in another order": ({ members, name }) => {
    const others = sorted(members).filter(([one]) => one !== name);
    // The last one stands there already.
    if ((others.at(-1)?.[0] ?? "") < name) return null;
    return joined([...others, [name, of(members, name)] as const].map(([one, bytes]) => entry(one, bytes)));
  },
  "member that is there twice": ({ members, name }) =>
    joined(
      sorted(members).flatMap(([one, bytes]) => (one === name ? [entry(one, bytes), entry(one, bytes)] : [entry(one, bytes)])),
    ),
  "member of another run": ({ members, name, other }) =>
    of(other, name).equals(of(members, name)) ? null : changed(members, name, of(other, name)),
  "swapped contents": ({ members, name }) =>
    name === "run.json"
      ? null
      : archiveOf(new Map([...members, [name, of(members, "run.json")], ["run.json", of(members, name)]])),
  "JSON member that is there twice": ({ members, name }) =>
    name.endsWith(".json")
      ? changed(members, name, Buffer.from(of(members, name).toString().replace("{", '{"payloadType":"x",')))
      : null,
  "path that leads out": ({ members, name }) => reheaded(members, name, (header) => header.write(`../${name}\0`, 0)),
  "absolute path": ({ members, name }) => reheaded(members, name, (header) => header.write(`/${name}\0`, 0)),
  "NUL in a name": ({ members, name }) => reheaded(members, name, (header) => header.write("x", name.length + 1)),
  "symbolic link": ({ members, name }) => reheaded(members, name, (header) => header.write("2", 156)),
  "hard link": ({ members, name }) => reheaded(members, name, (header) => header.write("1", 156)),
  executable: ({ members, name }) => reheaded(members, name, (header) => header.write("0000755\0", 100)),
  "unlisted file": ({ members, name, random }) =>
    archiveOf(new Map([...members, [`${name}${random.integer(0, 9)}`, Buffer.from("x")]])),
  "gzip bomb": ({ members, name }) => (name.endsWith(".gz") ? changed(members, name, bomb) : null),
  "recompressed member": ({ members, name }) =>
    name.endsWith(".gz") ? changed(members, name, gzipSync(gunzipSync(of(members, name)), { level: 0 })) : null,
};

/** Of the signed statement or its signature. */
export const statementMutations: Readonly<Record<string, Mutation>> = {
  "other catalogue in the statement": ({ members }) => withPredicate(members, () => ({ catalogue: { sha256: "22" } })),
  "other version of the tool": ({ members }) => withPredicate(members, ({ tool }) => ({ tool: { ...tool, version: "9" } })),
  "another verdict": ({ members }) => withPredicate(members, () => ({ verdict: { verdict: "passed", reason: "", exitCode: 0 } })),
  "key id of another key": ({ members, stranger }) =>
    resigned(members, (signatures) => signatures.map((one) => ({ ...one, keyid: stranger.id }))),
  "signed by a stranger under our key id": ({ members, stranger }) =>
    resigned(members, ([own]) => [{ keyid: own?.keyid, sig: forgedBy(stranger, members).signatures[0]?.sig }]),
  "another payload type": ({ members }) => resealed(members, { ...envelopeOf(members), payloadType: "application/json" }),
  "extra signature": ({ members, stranger }) =>
    resigned(members, (signatures) => [...signatures, ...forgedBy(stranger, members).signatures]),
  "no signature": ({ members }) => resigned(members, () => []),
  "malleable signature": ({ members }) =>
    resigned(members, (signatures) =>
      signatures.map(({ keyid, sig }) => ({ keyid, sig: otherForm(Buffer.from(sig, "base64")).toString("base64") })),
    ),
  "another spelling of base64": ({ members }) =>
    resigned(members, (signatures) => signatures.map(({ keyid, sig }) => ({ keyid, sig: sig.replace(/=*$/, "") + " " }))),
};

/** Of the archive wherever chance has it, or as a whole. */
export const archiveMutations: Readonly<Record<string, Mutation>> = {
  "bit flip anywhere in the archive": ({ members, random }) => {
    const bytes = archiveOf(members);
    const at = random.integer(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    return bytes;
  },
  "truncated archive": ({ members, random }) => {
    const bytes = archiveOf(members);
    return bytes.subarray(0, random.integer(0, bytes.length - 1));
  },
  "older run below a newer statement": ({ members, other }) => {
    const newer = ["attestation.dsse.json", "attestation.sigstore.json"].map((name) => [name, of(members, name)] as const);
    return archiveOf(new Map([...other, ...newer]));
  },
  "bytes after the end": ({ members }) => Buffer.concat([archiveOf(members), Buffer.from("x")]),
  "empty file": () => Buffer.alloc(0),
};

const bomb = gzipSync(Buffer.alloc(50_000_000), { level: 9 });

/** The other signature that holds over the same bytes, where the scheme knows one; else one that is no number below the order. */
function otherForm(signature: Buffer): Buffer {
  if (signature.length === 64) {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
    const bytes = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
    return Buffer.concat([signature.subarray(0, 32), bytes]);
  }
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const length = signature[3] ?? 0;
  const s = order - BigInt(`0x${signature.subarray(6 + length).toString("hex")}`);
  const hex = s.toString(16);
  const raw = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const value = (raw[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), raw]) : raw;
  const content = Buffer.concat([signature.subarray(2, 4 + length), Buffer.from([2, value.length]), value]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}
