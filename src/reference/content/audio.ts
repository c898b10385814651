/**
 * WebM (a profile of Matroska, RFC 9559, in EBML, RFC 8794): `Segment/Info/Duration` in units of the timestamp scale. A live
 * recording has none; its last cluster's timestamp stands in. null when the header is missing or names another document type.
 */
function readWebmSeconds(bytes: Buffer): number | null {
  const header = readElement(bytes, 0, bytes.length);
  if (header?.id !== ids.header) return null;
  const type = children(bytes, header).find(({ id }) => id === ids.documentType);
  if (type === undefined || !/^(?:webm|matroska)\0*$/.test(bytes.toString("latin1", type.start, type.end))) return null;
  const segment = readElement(bytes, header.end, bytes.length);
  if (segment?.id !== ids.segment) return null;
  const parts = children(bytes, segment);
  const info = parts.find(({ id }) => id === ids.info);
  if (info === undefined) return null;
  const facts = children(bytes, info);
  const scale = facts.find(({ id }) => id === ids.timestampScale);
  const nanosecondsPerTick = scale === undefined ? 1_000_000 : readUnsigned(bytes, scale);
  const duration = facts.find(({ id }) => id === ids.duration);
  const ticks = duration === undefined ? lastClusterTicks(bytes, parts) : readFloat(bytes, duration);
  return Number.isFinite(ticks) && ticks >= 0 ? (ticks * nanosecondsPerTick) / 1e9 : null;
}

const ids = {
  header: 0x1a45dfa3,
  documentType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
} as const;

interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** One element; an unknown size (all ones) reaches to the end of its parent. null when the bytes are no element. */
function readElement(bytes: Buffer, at: number, to: number): Element | null {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  if (at >= to || idLength > 4 || at + idLength >= to) return null;
  const id = bytes.readUIntBE(at, idLength);
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  if (sizeLength > 8 || sizeAt + sizeLength > to) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  let unknown = size === 0xff >> sizeLength;
  for (let index = 1; index < sizeLength; index += 1) {
    const byte = bytes[sizeAt + index] ?? 0;
    unknown = unknown && byte === 0xff;
    size = size * 256 + byte;
  }
  const start = sizeAt + sizeLength;
  return { id, start, end: unknown ? to : Math.min(start + size, to) };
}

function children(bytes: Buffer, parent: Element): readonly Element[] {
  const found: Element[] = [];
  for (let at = parent.start; at < parent.end;) {
    const element = readElement(bytes, at, parent.end);
    if (element === null || element.end <= at) break;
    found.push(element);
    at = element.end;
  }
  return found;
}

function lastClusterTicks(bytes: Buffer, parts: readonly Element[]): number {
  const cluster = parts.findLast(({ id }) => id === ids.cluster);
  const timestamp = cluster === undefined ? undefined : children(bytes, cluster).find(({ id }) => id === ids.timestamp);
  return timestamp === undefined ? 0 : readUnsigned(bytes, timestamp);
}

function readUnsigned(bytes: Buffer, { start, end }: Element): number {
  let value = 0;
  for (let at = start; at < Math.min(end, start + 8); at += 1) value = value * 256 + (bytes[at] ?? 0);
  return value;
}

function readFloat(bytes: Buffer, { start, end }: Element): number {
  if (end - start === 4) return bytes.readFloatBE(start);
  return end - start === 8 ? bytes.readDoubleBE(start) : Number.NaN;
}

/** MPEG audio (ISO/IEC 11172-3 and 13818-3), any layer, after an optional ID3v2 tag: the frames are counted, not guessed. */
function readMp3Seconds(bytes: Buffer): number | null {
  let at = id3Length(bytes);
  let seconds = 0;
  let frames = 0;
  while (at + 4 <= bytes.length) {
    const frame = readFrame(bytes, at);
    if (frame === null) break;
    // A last frame may be cut; the first one has to be whole.
    if (at + frame.bytes > bytes.length && frames === 0) return null;
    frames += 1;
    seconds += frame.seconds;
    at += frame.bytes;
  }
  const trailer = at >= bytes.length || bytes.toString("latin1", at, at + 3) === "TAG";
  // Two bytes of sync are easily met by chance: one lone frame counts only when nothing but a tag follows it.
  return frames > 1 || (frames === 1 && trailer) ? seconds : null;
}

/**
 * MPEG program streams (ISO/IEC 13818-1, and 11172-1 before it): the audio packets are unpacked and their frames counted.
 * Without audio the file plays for an unknown time (0). null when the first pack is missing or a packet is cut.
 */
function readMpegSystemSeconds(bytes: Buffer): number | null {
  if (bytes.length < 12 || bytes.readUInt32BE(0) !== 0x0000_01ba) return null;
  const audio: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const code = bytes.readUInt32BE(at);
    if (code === 0x0000_01b9) break;
    const length = code === 0x0000_01ba ? packLength(bytes, at) : packetLength(bytes, at);
    if (code >>> 8 !== 1 || length === null || at + length > bytes.length) return null;
    if (code >= 0x0000_01c0 && code <= 0x0000_01df) audio.push(payload(bytes.subarray(at, at + length)));
    at += length;
  }
  return readMp3Seconds(Buffer.concat(audio)) ?? 0;
}

/** Pack header: 14 bytes and stuffing in MPEG-2, 12 bytes in MPEG-1. */
function packLength(bytes: Buffer, at: number): number | null {
  const mark = bytes[at + 4] ?? 0;
  if (mark >> 6 === 0b01) return 14 + ((bytes[at + 13] ?? 0) & 7);
  return mark >> 4 === 0b0010 ? 12 : null;
}

function packetLength(bytes: Buffer, at: number): number | null {
  return at + 6 <= bytes.length ? 6 + bytes.readUInt16BE(at + 4) : null;
}

/** The bytes after the header of a packet, in either layout. */
function payload(packet: Buffer): Buffer {
  if ((packet[6] ?? 0) >> 6 === 0b10) return packet.subarray(9 + (packet[8] ?? 0));
  let at = 6;
  while (packet[at] === 0xff) at += 1;
  if ((packet[at] ?? 0) >> 6 === 0b01) at += 2;
  const stamps = (packet[at] ?? 0) >> 4;
  return packet.subarray(at + (stamps === 0b0010 ? 5 : stamps === 0b0011 ? 10 : 1));
}

function id3Length(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString("latin1", 0, 3) !== "ID3") return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
}

/** kbit/s by bit-rate index: MPEG-1 layers I, II, III, then MPEG-2 layer I and layers II and III. */
const bitRates = {
  v1l1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

function readFrame(bytes: Buffer, at: number): { readonly bytes: number; readonly seconds: number } | null {
  const [sync = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
  const version = (b >> 3) & 3;
  const layer = 4 - ((b >> 1) & 3);
  const rateIndex = c >> 4;
  const hertz = ([44_100, 48_000, 32_000][(c >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (sync !== 0xff || b >> 5 !== 7 || version === 1 || layer === 4 || rateIndex === 0 || rateIndex === 15 || hertz === 0)
    return null;
  const table =
    version === 3 ? (["v1l1", "v1l2", "v1l3"] as const)[layer - 1] : layer === 1 ? ("v2l1" as const) : ("v2l23" as const);
  const bitsPerSecond = (bitRates[table ?? "v1l3"][rateIndex] ?? 0) * 1000;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152;
  const padding = (c >> 1) & 1;
  const length =
    layer === 1
      ? (Math.floor((12 * bitsPerSecond) / hertz) + padding) * 4
      : Math.floor(((samples / 8) * bitsPerSecond) / hertz) + padding;
  return { bytes: length, seconds: samples / hertz };
}

export interface AudioInfo {
  readonly container: "wav" | "mp3" | "mpeg" | "mp4" | "webm";
  /** Playing time; 0 when the container is sound but does not say. */
  readonly seconds: number;
}

/** File name endings that the specification lists (section "POST /v1/audio/transcriptions"). */
export const audioFormats = ["mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm"] as const;

/**
 * Recognises the container by its bytes and reads how long it plays. null: none of the containers behind the listed formats,
 * or one that is damaged (a header that promises more than there is, no frame, no duration box).
 */
export function readAudio(bytes: Buffer): AudioInfo | null {
  for (const [container, read] of readers) {
    const seconds = read(bytes);
    if (seconds !== null) return { container, seconds };
  }
  return null;
}

const readers: readonly (readonly [AudioInfo["container"], (bytes: Buffer) => number | null])[] = [
  ["wav", readWavSeconds],
  ["mp4", readMp4Seconds],
  ["webm", readWebmSeconds],
  ["mpeg", readMpegSystemSeconds],
  ["mp3", readMp3Seconds],
];

/** RIFF/WAVE: data bytes divided by the byte rate of the format chunk. null when it is not WAVE or lacks one of the two. */
function readWavSeconds(bytes: Buffer): number | null {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") return null;
  let byteRate = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    const id = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === "fmt " && size >= 16 && body + 16 <= bytes.length) byteRate = bytes.readUInt32LE(body + 8);
    if (id === "data") {
      // Writers that stream leave the size at its greatest value: then the rest of the file is the data.
      const available = Math.min(size, bytes.length - body);
      const cut = size !== 0xffffffff && size > bytes.length - body;
      return byteRate > 0 && available > 0 && !cut ? available / byteRate : null;
    }
    at = body + size + (size % 2);
  }
  return null;
}

/** ISO base media file format (ISO/IEC 14496-12): time scale and duration of `moov/mvhd`, or of the fragments' `mehd`. */
function readMp4Seconds(bytes: Buffer): number | null {
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
