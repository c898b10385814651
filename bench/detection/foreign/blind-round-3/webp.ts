/** A picture of one colour in lossless WebP. */
export function webpOf(width: number, height: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let index = 0; index < count; index += 1) bits.push((value >> index) & 1);
  };
  put(0x2f, 8);
  put(width - 1, 14);
  put(height - 1, 14);
  // No transparency, version 0; neither transforms nor a colour cache nor several groups of codes.
  put(0, 1 + 3 + 3);
  // Five codes of one symbol each, which take no bits in the picture: green, red, blue, opacity, distance.
  for (const symbol of [0x80, 0x80, 0x80, 0xff, 0]) {
    put(1, 1);
    put(0, 1);
    put(1, 1);
    put(symbol, 8);
  }
  const data = Buffer.alloc(2 * Math.ceil(bits.length / 16));
  for (const [index, bit] of bits.entries()) data[index >> 3] = (data[index >> 3] ?? 0) | (bit << (index & 7));
  const head = Buffer.from("RIFF\0\0\0\0WEBPVP8L\0\0\0\0", "latin1");
  head.writeUInt32LE(data.length + 12, 4);
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}
