export interface Wave {
  readonly samplesPerSecond: number;
  readonly bits: 8 | 16;
  readonly samples: number;
  /** From 0 to 255 with 8 bits, signed with 16. */
  readonly sampleAt: (index: number) => number;
}

/** A RIFF WAVE file: PCM, one channel. */
export function waveFile({ samplesPerSecond, bits, samples, sampleAt }: Wave): Uint8Array<ArrayBuffer> {
  const width = bits / 8;
  const bytes = new Uint8Array(44 + width * samples);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string): void => bytes.set(new TextEncoder().encode(value), at);
  text(0, "RIFF");
  view.setUint32(4, 36 + width * samples, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, samplesPerSecond, true);
  view.setUint32(28, width * samplesPerSecond, true);
  view.setUint16(32, width, true);
  view.setUint16(34, bits, true);
  text(36, "data");
  view.setUint32(40, width * samples, true);
  for (let index = 0; index < samples; index += 1) {
    if (bits === 8) view.setUint8(44 + index, sampleAt(index));
    else view.setInt16(44 + 2 * index, sampleAt(index), true);
  }
  return bytes;
}

/** Samples of a tone. */
export function toneOf(hertz: number, samplesPerSecond: number, amplitude: number): Wave["sampleAt"] {
  return (index) => Math.round(amplitude * Math.sin((2 * Math.PI * hertz * index) / samplesPerSecond));
}
