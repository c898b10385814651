/** A tenth of a second of silence: PCM, one channel, 8 bits, 8 kHz (RIFF WAVE). */
export function silentWav(): Uint8Array {
  const samples = 800;
  const bytes = new Uint8Array(44 + samples).fill(128);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string): void =>
    bytes.set(
      Array.from(value, (letter) => letter.charCodeAt(0)),
      at,
    );
  text(0, "RIFF");
  view.setUint32(4, 36 + samples, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  text(36, "data");
  view.setUint32(40, samples, true);
  return bytes;
}
