import { existsSync, readFileSync, closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BundleError } from "../bundle-error.ts";
import { UnsignableError } from "../unsignable-error.ts";
import type { SigningKey } from "../keys/signing-key.ts";
import { memberNames } from "../archive/member-names.ts";
import { packBundle } from "./pack-bundle.ts";
import type { Predicate, Product } from "../statement/predicate.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { visibleJson } from "../../../core/exchange/bodies/visible-json.ts";
import { judgeRun } from "../../../run/record/judge-run.ts";
import { readRun, type SavedRun } from "../../../run/record/read-run.ts";
import { renderStandard } from "../../../run/record/write-reports.ts";
import { digestCatalogue } from "../statement/digest-catalogue.ts";
import { digestTool } from "../statement/tool-digest.ts";
import { blockBytes, paddingOf, tarHeader } from "../archive/tar-header.ts";

export interface CertifyOptions {
  readonly folder: string;
  readonly out: string;
  readonly key: SigningKey;
  /** null: name of the target, version unknown. */
  readonly product: Product | null;
  readonly now: Date;
}

/**
 * Judges a saved run again and writes it, with what follows from it and a signed statement about it, as one file that must not exist
 * yet. Throws an UnsignableError where the record was changed or is a part of one, a BundleError where there is none.
 */
export async function certifyRun({ folder, out, key, product, now }: CertifyOptions): Promise<Predicate> {
  const { record, exchanges, load, problems, isEdited } = await readSavedRun(folder);
  if (isEdited) throw new UnsignableError(`what was changed is not signed: ${problems[0]}`, exitCodes.findings);
  if (problems[0] !== undefined) throw new UnsignableError(`a part of a run is not signed: ${problems[0]}`, exitCodes.invalid);
  const result = judgeRun(record, exchanges, load);
  if (result.verdict === "internal-error") throw new UnsignableError(`no verdict is signed: ${result.reason}`, exitCodes.invalid);
  const packed = new Map([...(await renderStandard(result, exchanges))].map(([name, text]) => [name, Buffer.from(text)]));
  const plain = new Map([
    [memberNames.record as string, readFileSync(join(folder, "run.json"))],
    [memberNames.manifest, Buffer.from(`${visibleJson(record.manifest, 1)}\n`)],
  ]);
  const addTo = (members: Map<string, Buffer>, names: readonly string[]): void => {
    for (const name of names) if (existsSync(join(folder, name))) members.set(name, readFileSync(join(folder, name)));
  };
  addTo(packed, ["evidence.ndjson", "load.ndjson"]);
  addTo(plain, [memberNames.challenge, memberNames.commitment, memberNames.heads]);
  const { members, predicate } = packBundle({
    result,
    product: product ?? { name: result.target.name, version: "unknown" },
    signedAt: now.toISOString(),
    toolSha256: digestTool(),
    catalogueSha256: digestCatalogue(),
    packed,
    plain,
    key,
  });
  writeArchive(out, members);
  return predicate;
}

async function readSavedRun(folder: string): Promise<SavedRun> {
  try {
    return await readRun(folder);
  } catch (error) {
    throw new BundleError(error instanceof Error ? error.message : String(error));
  }
}

/** Writes these files as a tar archive, sorted by name; the file must not exist yet. Equal files give equal bytes. */
function writeArchive(path: string, members: ReadonlyMap<string, Buffer>): void {
  const file = openSync(path, "wx", 0o644);
  try {
    for (const part of archiveParts(members)) writeSync(file, part);
  } finally {
    closeSync(file);
  }
}

/** The same as bytes, part by part. */
export function* archiveParts(members: ReadonlyMap<string, Buffer>): Generator<Buffer> {
  for (const [name, bytes] of [...members].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    yield tarHeader(name, bytes.length);
    yield bytes;
    yield Buffer.alloc(paddingOf(bytes.length));
  }
  yield Buffer.alloc(2 * blockBytes);
}
