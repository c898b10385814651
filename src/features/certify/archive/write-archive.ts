import { closeSync, openSync, writeSync } from "node:fs";
import { blockBytes, paddingOf, tarHeader } from "./tar-header.ts";

/** Writes these files as a tar archive, sorted by name; the file must not exist yet. Equal files give equal bytes. */
export function writeArchive(path: string, members: ReadonlyMap<string, Buffer>): void {
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
