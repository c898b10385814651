/** Mono 16-bit PCM at 16 kHz: a 440 Hz tone, or silence. */
export function wavBytes(seconds: number = 1, amplitude: number = 8000): Buffer {
  const samples = Math.round(seconds * 16_000);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(samples * 2, 40);
  for (let index = 0; index < samples; index += 1) {
    bytes.writeInt16LE(Math.round(amplitude * Math.sin((2 * Math.PI * 440 * index) / 16_000)), 44 + index * 2);
  }
  return bytes;
}
