import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { BundleError } from "../bundle-error.ts";
import { blockBytes, paddingOf, tarHeader } from "./tar-header.ts";

/** A file of an archive, where it lies. */
export interface ArchiveMember {
  readonly name: string;
  readonly bytes: number;
  /** Of its bytes as they are stored, hexadecimal. */
  readonly sha256: string;
  /** Its bytes, read anew at every call. */
  readonly chunks: () => AsyncIterable<Buffer>;
}

/** Bounds of an archive of a stranger. */
const mostMembers = 32;
const mostBytes = 4 * 1024 ** 3;
const chunkBytes = 256 * 1024;
const plainName = /^[a-z0-9][a-z0-9.-]{0,79}$/;

/**
 * Lists the files of an archive without unpacking it. Only the one form that `writeArchive` gives is read: sorted plain files, every
 * other byte as that would write it. Throws a BundleError that names the member.
 */
export async function readArchive(path: string): Promise<ReadonlyMap<string, ArchiveMember>> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > mostBytes) throw new BundleError(`the archive is larger than ${mostBytes / 1024 ** 3} GiB`);
    const members = new Map<string, ArchiveMember>();
    let before = "";
    let offset = 0;
    for (;;) {
      const header = await readAt(file, offset, blockBytes);
      const isFirst = before === "";
      const place = isFirst ? "the first member" : `the member after ${before}`;
      if (header.length < blockBytes)
        throw new BundleError(`${place}: ${isFirst ? "the file is too short for one: it is no bundle" : "the archive is cut"}`);
      offset += blockBytes;
      if (header.every((byte) => byte === 0)) break;
      const member = readHeader(header, place);
      if (member.name <= before) throw new BundleError(`${member.name}: it is there twice, or out of order`);
      if (members.size === mostMembers) throw new BundleError(`${member.name}: the archive holds too many members`);
      before = member.name;
      members.set(member.name, await readMember(path, file, member, offset));
      offset += member.bytes + paddingOf(member.bytes);
    }
    const end = await readAt(file, offset, size - offset > blockBytes ? blockBytes + 1 : blockBytes);
    if (end.length !== blockBytes || end.some((byte) => byte !== 0)) {
      throw new BundleError(`the end of the archive, after ${before}: it is not two empty blocks`);
    }
    return members;
  } finally {
    await file.close();
  }
}

function readHeader(header: Buffer, place: string): { readonly name: string; readonly bytes: number } {
  const text = header.toString("latin1", 0, 100);
  const end = text.indexOf("\0");
  const name = end === -1 ? text : text.slice(0, end);
  if (!plainName.test(name)) throw new BundleError(`${place}: its name ${JSON.stringify(name)} is none that assay writes`);
  const size = /^[0-7]{11}$/.exec(header.toString("latin1", 124, 135))?.[0];
  if (size === undefined || !tarHeader(name, Number.parseInt(size, 8)).equals(header)) {
    throw new BundleError(`${name}: its header is not the one that assay writes for a plain file of this name and size`);
  }
  return { name, bytes: Number.parseInt(size, 8) };
}

async function readMember(
  path: string,
  file: FileHandle,
  { name, bytes }: { readonly name: string; readonly bytes: number },
  offset: number,
): Promise<ArchiveMember> {
  const hash = createHash("sha256");
  for (let done = 0; done < bytes;) {
    const chunk = await readAt(file, offset + done, Math.min(chunkBytes, bytes - done));
    if (chunk.length === 0) throw new BundleError(`${name}: it is cut after ${done} of ${bytes} bytes`);
    hash.update(chunk);
    done += chunk.length;
  }
  const padding = await readAt(file, offset + bytes, paddingOf(bytes));
  if (padding.length !== paddingOf(bytes) || padding.some((byte) => byte !== 0)) {
    throw new BundleError(`${name}: it is followed by bytes that belong to no member`);
  }
  const chunks = (): AsyncIterable<Buffer> =>
    bytes === 0
      ? emptyChunks()
      : (createReadStream(path, { start: offset, end: offset + bytes - 1, highWaterMark: chunkBytes }) as AsyncIterable<Buffer>);
  return { name, bytes, sha256: hash.digest("hex"), chunks };
}

// eslint-disable-next-line require-yield
async function* emptyChunks(): AsyncGenerator<Buffer> {}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  if (length === 0) return buffer;
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
