import * as fc from "fast-check";

/** The behaviour of a server on one connection at the first request. */
export interface Script {
  /** The pieces that it writes, each after the one before has had time to arrive. */
  readonly pieces: readonly Buffer[];
  /** The end: it waits for the next request, ends its side, or resets the connection. */
  readonly end: "keep" | "fin" | "rst";
}

const characters = (text: string): readonly string[] => text.split("");
const token = fc.string({ unit: fc.constantFrom(...characters("abcxyzABCXYZ019!#$%&'*+-.^_`|~")), minLength: 1, maxLength: 12 });
const blank = fc.constantFrom("", "", "", " ", "  ", "\t", " \t ");
/** Octets of a field value: visible ones, obsolete ones above ASCII, and blanks within. */
const valueText = fc
  .string({ unit: fc.constantFrom(...characters("aZ09 ,;=:\"\\()<>@/[]?{}~'\t\u0080\u0085\u00a0\u00e9\u00ff")), maxLength: 24 })
  .map((text) => text.replaceAll(/^[ \t]+|[ \t]+$/g, ""));
const spelling = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name,
    name.toUpperCase(),
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
  );
const controlNames =
  /^(?:content-length|content-encoding|content-type|transfer-encoding|connection|keep-alive|proxy-connection|upgrade)$/i;
const otherField = fc
  .record({ name: token, before: blank, value: fc.oneof(valueText, fc.constant("")), after: blank })
  .filter(({ name }) => !controlNames.test(name))
  .map(({ name, before, value, after }) => `${name}:${before}${value}${after}\r\n`);
const fields = fc.oneof(
  { weight: 20, arbitrary: fc.array(otherField, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.array(otherField, { minLength: 100, maxLength: 400 }) },
);
const field = (name: string, ...values: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(spelling(name), blank, fc.constantFrom(...values), blank)
    .map(([n, before, value, after]) => `${n}:${before}${value}${after}\r\n`);
const connectionFields = fc.oneof(
  { weight: 5, arbitrary: fc.constant("") },
  {
    weight: 5,
    arbitrary: field(
      "connection",
      "close",
      "keep-alive",
      "Close",
      "Keep-Alive",
      "x-other",
      "keep-alive, x-other",
      "x-other,close",
      "",
      "upgrade",
    ),
  },
  { weight: 1, arbitrary: fc.constant("Connection: close\r\nConnection: keep-alive\r\n") },
  {
    weight: 2,
    arbitrary: field("keep-alive", "timeout=5", "timeout=1", "timeout=2", "timeout=3, max=100", "max=1", "max=7", "timeout=60"),
  },
);

const eventLine = fc.constantFrom(
  "data: one\n",
  "data: zwei €\r\n",
  "event: x\n",
  "id: 7\n",
  ": ping\n",
  "\n",
  "\n",
  "\r\n",
  "\r",
  "data",
);
const body = fc.oneof(
  { weight: 3, arbitrary: fc.array(eventLine, { maxLength: 20 }).map((lines) => Buffer.from(lines.join(""))) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
  {
    weight: 1,
    arbitrary: fc
      .nat(200_000)
      .map((length) => Buffer.from("data: äöü €uro 0123456789\n\n".repeat(Math.ceil(length / 28)).slice(0, length))),
  },
);

const extension = fc.constantFrom("", "", "", ";a", ";a=b", ';a="b c"', ";x=1;y");
const trailers = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.array(otherField, { maxLength: 3 }).map((lines) => lines.join("")) },
);

/** A body in the chunked coding, in chunks of any sizes. */
function inChunks(bytes: Buffer): fc.Arbitrary<Buffer> {
  return fc
    .record({
      sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 70_000 })), {
        minLength: 1,
        maxLength: 8,
      }),
      extension,
      upper: fc.boolean(),
      zeros: fc.constantFrom("", "", "0", "0000000"),
      trailers,
    })
    .map(({ sizes, extension: said, upper, zeros, trailers: last }) => {
      const parts: Buffer[] = [];
      let at = 0;
      for (let turn = 0; at < bytes.length; turn += 1) {
        const size = Math.max(sizes[turn % sizes.length] ?? 1, Math.ceil(bytes.length / 400));
        const piece = bytes.subarray(at, at + size);
        at += size;
        const digits = piece.length.toString(16);
        parts.push(Buffer.from(`${zeros}${upper ? digits.toUpperCase() : digits}${said}\r\n`), piece, Buffer.from("\r\n"));
      }
      return Buffer.concat([...parts, Buffer.from(`0${said}\r\n${last}\r\n`, "latin1")]);
    });
}

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(200, 200, 204, 304, 400, 429, 503) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 599 }) },
);
const reason = fc.constantFrom(" OK", " ", "", " Too Many Requests", " \u00fcber", " a  b");
const interim = fc
  .tuple(fc.constantFrom(102, 103, 103, 199), reason, fc.array(otherField, { maxLength: 3 }))
  .map(([code, said, lines]) => `HTTP/1.1 ${code}${said}\r\n${lines.join("")}\r\n`);

/** The bytes of one lawful answer, which may need the end of the connection to be complete. */
const answer: fc.Arbitrary<Buffer> = fc
  .record({
    before: fc.constantFrom("", "", "", "\r\n"),
    interims: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(interim, { maxLength: 3 }) }),
    version: fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
    status,
    reason,
    fields,
    connection: connectionFields,
    type: fc.oneof(
      fc.constant(""),
      field("content-type", "text/event-stream", "text/event-stream; charset=utf-8", "application/json"),
    ),
    framing: fc.constantFrom("length", "length", "chunked", "chunked", "coded", "close", "empty"),
    coding: fc.tuple(spelling("transfer-encoding"), fc.constantFrom("chunked", "Chunked", "CHUNKED")),
    lengthFirst: fc.boolean(),
    body,
  })
  .chain((made) => {
    const bodiless = made.status === 204 || made.status === 304;
    const framed: fc.Arbitrary<readonly [string, Buffer]> = bodiless
      ? fc.constant(["", Buffer.alloc(0)] as const)
      : made.framing === "chunked"
        ? inChunks(made.body).map((bytes) => [`${made.coding[0]}: ${made.coding[1]}\r\n`, bytes] as const)
        : made.framing === "coded"
          ? inChunks(made.body).map((bytes) => [`${made.coding[0]}: gzip, ${made.coding[1]}\r\n`, bytes] as const)
          : made.framing === "close"
            ? fc.constant(["", made.body] as const)
            : fc.constant([
                `Content-Length: ${made.framing === "empty" ? 0 : made.body.length}\r\n`,
                made.framing === "empty" ? Buffer.alloc(0) : made.body,
              ] as const);
    return framed.map(([framing, bytes]) => {
      const lines = [made.connection, made.type, ...made.fields];
      if (made.lengthFirst) lines.unshift(framing);
      else lines.push(framing);
      const head = `${made.before}${made.interims.join("")}HTTP/${made.version} ${made.status}${made.reason}\r\n${lines.join("")}\r\n`;
      return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
    });
  });

/** One change of the bytes at a place that is reported in thousandths, mostly within the head. */
const change = fc.record({
  at: fc.oneof(fc.nat(1000), fc.nat(200)),
  how: fc.oneof(
    fc.record({ kind: fc.constant("flip" as const), bit: fc.nat(7) }),
    fc.record({ kind: fc.constant("delete" as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      kind: fc.constant("insert" as const),
      text: fc.constantFrom("\r\n", "\n", "\r", " ", "0", "x", ":", ";", "\0", "\r\n\r\n", "\u00ff", "\r\n x", "5\r\n"),
    }),
    fc.record({ kind: fc.constant("line-end" as const), text: fc.constantFrom("\n", "\r", "\r\r\n", "\n\r\n", "\r\n\r\n", "") }),
  ),
});

function changed(bytes: Buffer, changes: readonly (typeof change extends fc.Arbitrary<infer Change> ? Change : never)[]): Buffer {
  let text = bytes.toString("latin1");
  for (const { at: thousandth, how } of changes) {
    const at = Math.floor((thousandth * text.length) / 1001);
    if (how.kind === "flip") {
      text = text.slice(0, at) + String.fromCodePoint((text.codePointAt(at) ?? 0) ^ (1 << how.bit)) + text.slice(at + 1);
    } else if (how.kind === "delete") text = text.slice(0, at) + text.slice(at + how.count);
    else if (how.kind === "insert") text = text.slice(0, at) + how.text + text.slice(at);
    else {
      const end = text.indexOf("\r\n", at);
      if (end !== -1) text = text.slice(0, end) + how.text + text.slice(end + 2);
    }
  }
  return Buffer.from(text, "latin1");
}

/** Cuts bytes at places that are reported in thousandths; `every` cuts small ones into pieces of that many bytes instead. */
function cut(bytes: Buffer, places: readonly number[], every: number | null): readonly Buffer[] {
  if (every !== null && bytes.length <= 400 * every) {
    return Array.from({ length: Math.ceil(bytes.length / every) }, (_, turn) => bytes.subarray(turn * every, (turn + 1) * every));
  }
  const at = [0, ...places.map((place) => Math.floor((place * bytes.length) / 1000)), bytes.length].toSorted((a, b) => a - b);
  return at.slice(1).flatMap((end, turn) => (end > (at[turn] ?? 0) ? [bytes.subarray(at[turn], end)] : []));
}

const pieces = (bytes: Buffer): fc.Arbitrary<readonly Buffer[]> =>
  fc
    .tuple(fc.array(fc.nat(1000), { maxLength: 6 }), fc.constantFrom(null, null, null, null, 1, 2, 7))
    .map(([places, every]) => cut(bytes, places, every));
const end = fc.constantFrom<Script["end"]>("keep", "keep", "keep", "fin", "fin", "rst");

/** Answers as the standard has them, whole or broken off, sometimes with bytes of another answer behind. */
export const lawfulScript: fc.Arbitrary<Script> = fc
  .record({
    answer,
    more: fc.oneof(
      { weight: 8, arbitrary: fc.constant(Buffer.alloc(0)) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("\r\n", "x", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").map((text) => Buffer.from(text)),
      },
    ),
    keptPart: fc.oneof({ weight: 3, arbitrary: fc.constant(1000) }, { weight: 1, arbitrary: fc.nat(999) }),
    end,
  })
  .chain(({ answer: bytes, more, keptPart, end: last }) => {
    const sent = Buffer.concat([bytes, more]);
    return pieces(sent.subarray(0, Math.ceil((sent.length * keptPart) / 1000))).map((cutUp) => ({ pieces: cutUp, end: last }));
  });

/** Answers that were damaged here and there. */
export const damagedScript: fc.Arbitrary<Script> = fc
  .record({ answer, changes: fc.array(change, { minLength: 1, maxLength: 2 }), end })
  .chain(({ answer: bytes, changes, end: last }) =>
    pieces(changed(bytes, changes)).map((cutUp) => ({ pieces: cutUp, end: last })),
  );

/** Whole answers and their bytes, for readers that need no socket. */
export const lawfulAnswer: fc.Arbitrary<Buffer> = answer;

/** Answers that contradict themselves about where they end, and some that seem to. */
export const contestedScript: fc.Arbitrary<Script> = fc
  .record({
    version: fc.constantFrom("1.1", "1.1", "1.0", "2.0"),
    status,
    lines: fc.array(
      fc.oneof(
        fc
          .constantFrom(
            "0",
            "2",
            "5",
            " 5\t",
            "05",
            "5, 5",
            "5,2",
            "+5",
            "-5",
            "5 5",
            "",
            "0x5",
            "5.0",
            "\u00a05",
            "18446744073709551621",
          )
          .map((value) => `Content-Length:${value}\r\n`),
        fc
          .constantFrom(
            "chunked",
            "gzip",
            "",
            ",",
            "chunked,",
            ",chunked",
            " , chunked",
            "chunked;q=1",
            "identity",
            "chunked , gzip",
          )
          .map((value) => `Transfer-Encoding: ${value}\r\n`),
        fc
          .constantFrom(
            "gzip,\tchunked",
            "gzip ,chunked ",
            "chunked chunked",
            '"chunked"',
            "xchunked",
            "chunkedx",
            "chunked\u00a0",
            "CHUNKED\t",
          )
          .map((value) => `transfer-encoding:${value}\r\n`),
        fc.constantFrom(
          "Connection: close\r\n",
          "connection: keep-alive\r\n",
          "X: y\r\n",
          "Content-Length : 5\r\n",
          "Content_Length: 5\r\n",
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    body: fc.constantFrom(
      "",
      "hello",
      "5\r\nhello\r\n0\r\n\r\n",
      "0\r\n\r\n",
      "5\r\nhello\r\n0\r\nx: y\r\n\r\n",
      "05\r\nhello\r\n000\r\n\r\nmore",
    ),
    end,
  })
  .chain((made) => {
    const text = `HTTP/${made.version} ${made.status} x\r\n${made.lines.join("")}\r\n${made.body}`;
    return pieces(Buffer.from(text, "latin1")).map((cutUp) => ({ pieces: cutUp, end: made.end }));
  });
