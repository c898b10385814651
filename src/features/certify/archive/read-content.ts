import { createHash } from "node:crypto";
import { createGunzip } from "node:zlib";
import { Readable } from "node:stream";
import { BundleError } from "../bundle-error.ts";
import type { ArchiveMember } from "./read-archive.ts";

/** Bound on a member that is read whole, however small it is stored. */
export const mostTextBytes: number = 256 * 1024 ** 2;

/** The content of a member: as it is stored, or unpacked where its name ends with `.gz`; never more than `mostBytes`. */
export async function* readContent(member: ArchiveMember, mostBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  const isPacked = member.name.endsWith(".gz");
  const source = Readable.from(member.chunks(), { objectMode: false });
  const gunzip = createGunzip();
  const chunks = (isPacked ? source.on("error", (error) => gunzip.destroy(error)).pipe(gunzip) : source) as AsyncIterable<Buffer>;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new BundleError(`${member.name}: it holds more than the ${mostBytes} bytes that it may`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof BundleError) throw error;
    throw new BundleError(`${member.name}: it cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** The whole of it as bytes. */
export async function wholeContent(member: ArchiveMember, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readContent(member, mostBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A text in UTF-8. */
export async function wholeText(member: ArchiveMember): Promise<string> {
  return (await wholeContent(member, mostTextBytes)).toString("utf8");
}

export async function digestContent(
  member: ArchiveMember,
  mostBytes: number,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of readContent(member, mostBytes)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
