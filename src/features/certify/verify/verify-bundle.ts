import { tryJson, isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { Result } from "../../../core/result/result.ts";
import { compileSchema } from "../../../schemas/validator.ts";
import { readArchive, type ArchiveMember } from "../archive/read-archive.ts";
import { digestContent, mostTextBytes, wholeText } from "../archive/read-content.ts";
import { BundleError } from "../bundle-error.ts";
import { openEnvelope, type Envelope } from "../envelope/envelope.ts";
import { sigstoreBundle } from "../envelope/sigstore-bundle.ts";
import type { PublicKey } from "../keys/signing-key.ts";
import { memberNames } from "../archive/member-names.ts";
import { describeResult, predicateType, type Predicate } from "../statement/predicate.ts";
import { statementType, type Statement } from "../statement/statement.ts";

/** A bundle whose signature and contents hold together. */
export interface VerifiedBundle {
  readonly members: ReadonlyMap<string, ArchiveMember>;
  readonly predicate: Predicate;
  readonly signer: PublicKey;
  readonly result: Result;
  /** The checks that were made, in order, one line each. */
  readonly checked: readonly string[];
}

/** Bound on what a log may hold, however small it is stored. */
const mostLogBytes = 16 * 1024 ** 3;

/**
 * Checks everything of a bundle that needs no judge and no clock. Nothing of it is unpacked before one of these keys has signed it.
 * Throws a BundleError that names the member.
 */
export async function verifyBundle(path: string, keys: readonly PublicKey[]): Promise<VerifiedBundle> {
  const members = await readArchive(path);
  const member = (name: string): ArchiveMember => {
    const found = members.get(name);
    if (found === undefined) throw new BundleError(`${name}: the bundle lacks it`);
    return found;
  };
  const { envelope, payload, signer } = await openAttestation(member(memberNames.envelope), keys);
  const statement = readStatement(payload);
  await checkSigstore(member(memberNames.sigstore), envelope);
  checkSubjects(statement, members);
  const { predicate } = statement;
  await checkContents(predicate, members);
  const result = await readResult(member(memberNames.result));
  checkPredicate(predicate, result);
  return {
    members,
    predicate,
    signer,
    result,
    checked: [
      `the archive is in the one form that assay writes, ${members.size} members`,
      `the statement is signed by ${signer.kind} key ${signer.id}`,
      `${statement.subject.length} members are those that were signed, none is missing, none was added`,
      "the statement says what result.json says",
    ],
  };
}

async function openAttestation(
  member: ArchiveMember,
  keys: readonly PublicKey[],
): Promise<{ readonly envelope: Envelope; readonly payload: Buffer; readonly signer: PublicKey }> {
  const value = await readPlainJson(member);
  const opened = openEnvelope(value, keys);
  if ("problem" in opened) throw new BundleError(`${member.name}: ${opened.problem}`);
  const envelope = value as Envelope;
  const [signature] = envelope.signatures;
  // Beside the one signature that was checked, nobody could say what the others say.
  if (envelope.signatures.length !== 1 || Object.keys(envelope).length !== 3 || Object.keys(signature ?? {}).length !== 2) {
    throw new BundleError(`${member.name}: it holds more than one signature and its key id`);
  }
  if (signature?.keyid !== opened.signer.id)
    throw new BundleError(`${member.name}: its key id is not that of the key that signed it`);
  return { envelope, ...opened };
}

/** JSON in the one form that JSON.stringify gives: a member that is there twice, or another spelling, is refused. */
async function readPlainJson(member: ArchiveMember): Promise<unknown> {
  const text = await wholeText(member);
  const value = tryJson(text);
  if (value === undefined || JSON.stringify(value) !== text) throw new BundleError(`${member.name}: it is not plain JSON`);
  return value;
}

function readStatement(payload: Buffer): Statement {
  const refuse = (what: string): never => {
    throw new BundleError(`${memberNames.envelope}: its statement ${what}`);
  };
  const text = payload.toString("utf8");
  const value = tryJson(text);
  if (!isJsonObject(value) || JSON.stringify(value) !== text) return refuse("is not plain JSON");
  if (value["_type"] !== statementType) return refuse("is not an in-toto statement of version 1");
  if (value["predicateType"] !== predicateType) return refuse(`is of another type: ${JSON.stringify(value["predicateType"])}`);
  const { subject, predicate } = value;
  const isSubject = (one: unknown): boolean =>
    isJsonObject(one) &&
    typeof one["name"] === "string" &&
    isJsonObject(one["digest"]) &&
    typeof one["digest"]["sha256"] === "string" &&
    Object.keys(one).length === 2;
  if (!Array.isArray(subject) || !subject.every(isSubject) || !isJsonObject(predicate))
    return refuse("has no subjects or no predicate");
  if (Object.keys(value).length !== 4) return refuse("holds members that are not known");
  return value as unknown as Statement;
}

async function checkSigstore(member: ArchiveMember, envelope: Envelope): Promise<void> {
  const text = await wholeText(member);
  if (text !== JSON.stringify(sigstoreBundle(envelope))) throw new BundleError(`${member.name}: it is not the same attestation`);
}

function checkSubjects({ subject }: Statement, members: ReadonlyMap<string, ArchiveMember>): void {
  const signed = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  if (signed.size !== subject.length) throw new BundleError(`${memberNames.envelope}: its statement names a member twice`);
  for (const { name, sha256 } of members.values()) {
    if (name === memberNames.envelope || name === memberNames.sigstore) continue;
    const digest = signed.get(name);
    if (digest === undefined) throw new BundleError(`${name}: it is not listed in the statement`);
    if (digest !== sha256) throw new BundleError(`${name}: its digest is not the one that was signed`);
  }
  const missing = subject.find(({ name }) => !members.has(name));
  if (missing !== undefined) throw new BundleError(`${missing.name}: the statement lists it, the bundle lacks it`);
}

async function checkContents({ contents }: Predicate, members: ReadonlyMap<string, ArchiveMember>): Promise<void> {
  if (!isContents(contents)) throw new BundleError(`${memberNames.envelope}: its statement lists no contents`);
  for (const member of members.values()) {
    if (!member.name.endsWith(".gz")) continue;
    const content = contents.find(({ name }) => `${name}.gz` === member.name);
    if (content === undefined) throw new BundleError(`${member.name}: its content is not listed in the statement`);
    const bound = Math.min(content.bytes, member.name.includes(".ndjson") ? mostLogBytes : mostTextBytes);
    const found = await digestContent(member, bound);
    if (found.bytes !== content.bytes || found.sha256 !== content.sha256) {
      throw new BundleError(`${member.name}: its content is not the one that was signed`);
    }
  }
}

function isContents(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => isJsonObject(one) && Number.isSafeInteger(one["bytes"]) && typeof one["name"] === "string")
  );
}

async function readResult(member: ArchiveMember): Promise<Result> {
  const value = tryJson(await wholeText(member));
  const [fault] = compileSchema("result.schema")(value);
  if (value === undefined || fault !== undefined) {
    throw new BundleError(
      `${member.name}: it is not a result of this version of assay: ${fault?.pointer ?? ""} ${fault?.message ?? "no JSON"}`,
    );
  }
  return value as Result;
}

/** A signer may claim anything: the statement must agree with the result. */
function checkPredicate(predicate: Predicate, result: Result): void {
  const { product, signedAt, tool, catalogue, challenge, contents } = predicate;
  const isWhole =
    isJsonObject(product) &&
    typeof product["name"] === "string" &&
    typeof product["version"] === "string" &&
    typeof signedAt === "string" &&
    !Number.isNaN(Date.parse(signedAt)) &&
    isJsonObject(tool) &&
    typeof tool["sha256"] === "string" &&
    isJsonObject(catalogue) &&
    typeof catalogue["sha256"] === "string" &&
    (challenge === null || isJsonObject(challenge));
  if (!isWhole)
    throw new BundleError(
      `${memberNames.envelope}: its statement lacks the product, when it was signed, the tool or the catalogue`,
    );
  const wanted = describeResult({
    product,
    signedAt,
    result,
    toolSha256: predicate.tool.sha256,
    catalogueSha256: predicate.catalogue.sha256,
    challenge,
    contents,
  });
  if (JSON.stringify(wanted) !== JSON.stringify(predicate)) {
    throw new BundleError(`${memberNames.envelope}: its statement does not say what ${memberNames.result} says`);
  }
}
