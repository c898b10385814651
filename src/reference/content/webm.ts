/**
 * WebM (a profile of Matroska, RFC 9559, in EBML, RFC 8794): `Segment/Info/Duration` in units of the timestamp scale. A live
 * recording has none; its last cluster's timestamp stands in. null when the header is missing or names another document type.
 */
export function readWebmSeconds(bytes: Buffer): number | null {
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
