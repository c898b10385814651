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
 * MPEG program streams (ISO/IEC 13818-1) tell no duration: the span between the first and the last system clock reference does.
 * A stream of video or audio packets without pack headers plays for an unknown time.
 */
export function readMpegSystemSeconds(bytes: Buffer): number | null {
  if (bytes.length < 12 || bytes.readUInt32BE(0) !== packStart) return null;
  const first = clockReference(bytes, 4);
  const marker = Buffer.from([0, 0, 1, 0xba]);
  const last = bytes.lastIndexOf(marker);
  const end = last + 14 <= bytes.length ? clockReference(bytes, last + 4) : first;
  return first === null ? null : Math.max(0, ((end ?? first) - first) / 90_000);
}

const packStart = 0x000001ba;

/** The 33-bit clock base in ticks of 90 kHz, in the MPEG-2 (`01`) or MPEG-1 (`0010`) layout; null for any other bits. */
function clockReference(bytes: Buffer, at: number): number | null {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = bytes.subarray(at, at + 5);
  if (a >> 6 === 0b01) {
    return ((a >> 3) & 7) * 2 ** 30 + (((a & 3) << 28) | (b << 20) | ((c >> 3) << 15) | ((c & 3) << 13) | (d << 5) | (e >> 3));
  }
  if (a >> 4 === 0b0010) {
    return ((a >> 1) & 7) * 2 ** 30 + ((b << 22) | ((c >> 1) << 15) | (d << 7) | (e >> 1));
  }
  return null;
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
