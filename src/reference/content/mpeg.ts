/** MPEG audio (ISO/IEC 11172-3 and 13818-3), any layer, after an optional ID3v2 tag: the frames are counted, not guessed. */
export function readMp3Seconds(bytes: Buffer): number | null {
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
export function readMpegSystemSeconds(bytes: Buffer): number | null {
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
