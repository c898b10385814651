/** A mono 16-bit PCM WAVE file at 8 kHz with a quiet 220 Hz tone, for transcription under load. */
export function makeWave(seconds: number): Uint8Array {
  const rate = 8000;
  const samples = Math.max(1, Math.round(seconds * rate));
  const bytes = new Uint8Array(44 + 2 * samples);
  const view = new DataView(bytes.buffer);
  const text = (offset: number, value: string): void => {
    for (let index = 0; index < value.length; index += 1) bytes[offset + index] = value.charCodeAt(index);
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * samples, true);
  for (let index = 0; index < samples; index += 1) {
    view.setInt16(44 + 2 * index, Math.round(2000 * Math.sin((2 * Math.PI * 220 * index) / rate)), true);
  }
  return bytes;
}
