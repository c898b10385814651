import * as fc from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/** Every code point but surrogates. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (number) => String.fromCodePoint(number < firstSurrogate ? number : number + surrogates),
  (text) => {
    if (typeof text !== "string") throw new TypeError("no text");
    const [number = -1, ...others] = Array.from(text, (one) => one.codePointAt(0) ?? -1);
    if (others.length > 0) throw new RangeError("more than one code point");
    return number < firstSurrogate ? number : number - surrogates;
  },
);

/** As `unit: "binary"`, which makes a table of a million characters first: most of a second in each worker. */
export function anyCodePoints(bounds: Pick<fc.StringConstraints, "maxLength"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...bounds, unit: codePoint });
}
