/** RIFF/WAVE: data bytes divided by the byte rate of the format chunk. null when it is not WAVE or lacks one of the two. */
export function readWavSeconds(bytes: Buffer): number | null {
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
