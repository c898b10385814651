/** ISO base media file format (ISO/IEC 14496-12): time scale and duration of `moov/mvhd`, or of the fragments' `mehd`. */
export function readMp4Seconds(bytes: Buffer): number | null {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return null;
  const movie = findBox(bytes, 0, bytes.length, "moov");
  if (movie === null) return null;
  const header = findBox(bytes, movie.start, movie.end, "mvhd");
  if (header === null || header.end - header.start < 20) return null;
  const wide = bytes[header.start] === 1;
  if (wide && header.end - header.start < 32) return null;
  const scale = bytes.readUInt32BE(header.start + (wide ? 20 : 12));
  const duration = wide ? Number(bytes.readBigUInt64BE(header.start + 24)) : bytes.readUInt32BE(header.start + 16);
  if (scale === 0) return null;
  return duration > 0 ? duration / scale : fragmentSeconds(bytes, movie, scale);
}

/** Fragmented files announce their length in `mvex/mehd`, or not at all. */
function fragmentSeconds(bytes: Buffer, movie: Box, scale: number): number {
  const extension = findBox(bytes, movie.start, movie.end, "mvex");
  const header = extension === null ? null : findBox(bytes, extension.start, extension.end, "mehd");
  if (header === null || header.end - header.start < 8) return 0;
  const wide = bytes[header.start] === 1 && header.end - header.start >= 12;
  return (wide ? Number(bytes.readBigUInt64BE(header.start + 4)) : bytes.readUInt32BE(header.start + 4)) / scale;
}

interface Box {
  readonly start: number;
  readonly end: number;
}

/** Payload of the first box of that type between two offsets; null when there is none or a size is impossible. */
function findBox(bytes: Buffer, from: number, to: number, type: string): Box | null {
  for (let at = from; at + 8 <= to;) {
    const short = bytes.readUInt32BE(at);
    const wide = short === 1 && at + 16 <= to;
    const size = wide ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
    const header = wide ? 16 : 8;
    if (size < header || at + size > to) return null;
    if (bytes.toString("latin1", at + 4, at + 8) === type) return { start: at + header, end: at + size };
    at += size;
  }
  return null;
}
