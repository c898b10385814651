/** Ways in which a service may give a key back, by name: plain, encoded, in Unicode forms, nested, set apart, in halves. */
export const canaryEncodings: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  "upper case": (key) => key.toUpperCase(),
  "lower case": (key) => key.toLowerCase(),
  "case swapped": (key) => key.replaceAll(/[a-z]/gi, (letter) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase())),
  "decimal entities": (key) => each(key, (code) => `&#${code};`),
  "hexadecimal entities": (key) => each(key, (code) => `&#x${code.toString(16)};`),
  "entities without semicolon": (key) => each(key, (code) => `&#${String(code).padStart(4, "0")} `),
  "named entities": (key) => key.replaceAll("_", "&lowbar;").replaceAll("-", "&hyphen;"),
  "some entities": (key) => key.replaceAll(/[aeiou_-]/g, (letter) => `&#${letter.charCodeAt(0)};`),
  percent: (key) => each(key, (code) => `%${hex(code)}`),
  "percent twice": (key) => each(key, (code) => `%25${hex(code)}`),
  "quoted-printable": (key) => each(key, (code) => `=${hex(code).toUpperCase()}`),
  "quoted-printable, wrapped": (key) => `${key.slice(0, 9)}=\r\n${key.slice(9)}`,
  octal: (key) => each(key, (code) => `\\${code.toString(8).padStart(3, "0")}`),
  "hexadecimal escapes": (key) => each(key, (code) => `\\x${hex(code)}`),
  "Unicode escapes": (key) => each(key, (code) => `\\u00${hex(code)}`),
  "Unicode escapes in braces": (key) => each(key, (code) => `\\u{${hex(code)}}`),
  "escapes in escapes": (key) => JSON.stringify(JSON.stringify(each(key, (code) => `\\u00${hex(code)}`))),
  "code points": (key) => each(key, (code) => `U+00${hex(code).toUpperCase()} `),
  "bytes in C": (key) => each(key, (code) => `0x${hex(code)}, `),
  "decimal codes": (key) =>
    `[${letters(key)
      .map((letter) => letter.charCodeAt(0))
      .join(", ")}]`,
  hexadecimal: (key) => Buffer.from(key).toString("hex"),
  "hexadecimal, spaced": (key) => Buffer.from(key).toString("hex").replaceAll(/../g, "$& ").trim(),
  "hexadecimal, colons": (key) =>
    Buffer.from(key)
      .toString("hex")
      .toUpperCase()
      .replaceAll(/..(?!$)/g, "$&:"),
  Base64: (key) => Buffer.from(key).toString("base64"),
  "Base64 of the header": (key) => Buffer.from(`Bearer ${key}\r\n`).toString("base64"),
  "Base64 for URLs": (key) => Buffer.from(`??${key}`).toString("base64url"),
  "Base64 twice": (key) => Buffer.from(Buffer.from(`x${key}`).toString("base64")).toString("base64"),
  "Base64, wrapped": (key) => Buffer.from(`key: ${key}`).toString("base64").replaceAll(/.{20}/g, "$&\n"),
  "hexadecimal of Base64": (key) => Buffer.from(Buffer.from(key).toString("base64")).toString("hex"),
  "Base64 of hexadecimal": (key) => Buffer.from(Buffer.from(key).toString("hex")).toString("base64"),
  "Base64 in percent": (key) => encodeURIComponent(Buffer.from(`${key}?`).toString("base64")),
  Base32: base32,
  "Base32, lower case": (key) => base32(key).toLowerCase(),
  "full-width": (key) => each(key, (code) => String.fromCodePoint(code + 0xfee0)),
  "mathematical letters": (key) =>
    key.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1d5ba + letter.charCodeAt(0) - 97)),
  "zero-width spaces": (key) => letters(key).join("\u200b"),
  "soft hyphens": (key) => letters(key).join("\u00ad"),
  spaced: (key) => letters(key).join(" "),
  dashed: (key) => letters(key).join("-"),
  "UTF-16": (key) => letters(key).join("\u0000"),
  "halves in one text": (key) => `it begins with ${key.slice(0, 13)} and ends with ${key.slice(13)}`,
  "halves in two members": (key) => JSON.stringify({ a: key.slice(0, 12), b: key.slice(12) }),
  "a part in Base64": (key) => Buffer.from(`..${key.slice(5, -3)}..`).toString("base64"),
};

/**
 * The texts that would give a key away: parts of eight characters, plain and encoded letter by letter, and the whole in each
 * encoding.
 */
export function givenAway(key: string): readonly string[] {
  const encodings = Object.entries(canaryEncodings).filter(([name]) => !name.startsWith("halves"));
  // In an encoding of each letter, parts of a key show as parts of its encoding.
  const byLetter = encodings.filter(([name]) => !/base|part|lower|upper|swapped|named|some|wrapped/i.test(name));
  const parts = Array.from({ length: key.length - 15 }, (_, at) => key.slice(at + 8, at + 16));
  const forms = [
    ...parts.flatMap((part) => [part, ...byLetter.map(([, encode]) => encode(part))]),
    ...encodings.map(([, encode]) => encode(key)),
  ];
  return [...new Set([...forms, ...forms.map((form) => JSON.stringify(form).slice(1, -1))])];
}

/** A key is ASCII. */
function letters(key: string): readonly string[] {
  return Array.from(key);
}

function each(key: string, encode: (code: number) => string): string {
  return letters(key)
    .map((letter) => encode(letter.charCodeAt(0)))
    .join("");
}

function hex(code: number): string {
  return code.toString(16).padStart(2, "0");
}

function base32(text: string): string {
  const bits = Array.from(Buffer.from(text))
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}
