import { type Attack, body, drip, flood, json, raw, withFields } from "../attack.ts";

const plain = '{"object":"list","data":[]}';
const length = `content-length: ${plain.length}\r\n`;
/** A whole answer with more lines in its head. */
const withHead = (lines: string): Attack["answer"] => raw(`${json}${lines}${length}\r\n${plain}`);

export const framingAttacks: readonly Attack[] = [
  { id: "a chunk size that drips", answer: drip(`${json}transfer-encoding: chunked\r\n\r\n5;`, "e", 100) },
  { id: "a head that drips", answer: drip("HTTP/1.1 200 OK\r\n", "x-a: b\r\n", 100) },
  { id: "trailers without end", answer: flood(`${json}transfer-encoding: chunked\r\n\r\n0\r\n`, "x-a: b\r\n".repeat(5000)) },
  { id: "interim answers without end", answer: flood("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)) },
  {
    id: "early hints without end",
    answer: flood("", "HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n".repeat(1000)),
  },
  { id: "silence", answer: () => {} },
  { id: "a close without an answer", answer: (socket) => socket.destroy() },
  { id: "a reset without an answer", answer: (socket) => socket.resetAndDestroy() },
  { id: "both lengths", answer: body("{}", `${json}transfer-encoding: chunked\r\n`) },
  { id: "two lengths that differ", answer: raw(`${json}content-length: 5\r\ncontent-length: 27\r\n\r\n${plain}`) },
  { id: "a length of 400 digits", answer: raw(`${json}content-length: ${"9".repeat(400)}\r\n\r\n{}`) },
  { id: "a negative length", answer: raw(`${json}content-length: -1\r\n\r\n${plain}`) },
  { id: "a body that is too short", answer: raw(`${json}content-length: 1000\r\n\r\n${plain}`) },
  {
    id: "a second answer that nobody asked for",
    answer: (socket) => {
      const answer = `${json.replace("connection: close\r\n", "")}${length}\r\n${plain}`;
      socket.write(answer + answer);
    },
  },
  { id: "a chunk of 2^70 bytes", answer: raw(`${json}transfer-encoding: chunked\r\n\r\n400000000000000000\r\nx`) },
  {
    id: "chunks of one byte without end",
    answer: flood(`${json}transfer-encoding: chunked\r\n\r\n`, "1\r\nx\r\n".repeat(20_000)),
  },
  { id: "bytes that are no HTTP", answer: raw(Buffer.alloc(100_000, 0xff)) },
  { id: "HTTP/0.9", answer: raw(plain) },
  { id: "HTTP/1.0 without a length", answer: raw(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${plain}`) },
  { id: "HTTP/2 unasked", answer: raw(Buffer.from("000012040000000000000300000064000400100000000600004000", "hex")) },
  { id: "another protocol", answer: raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n") },
  { id: "folded fields", answer: withHead("x-a: b\r\n c\r\n\td\r\n") },
  { id: "NUL in a field", answer: withHead("x-a: b\0c\r\n") },
  { id: "a carriage return in a field", answer: withHead("x-a: b\rc\r\n") },
  { id: "490 fields of 120 bytes", answer: withHead(`x-a: ${"b".repeat(115)}\r\n`.repeat(490)) },
  { id: "5,000 fields", answer: withHead("x-a: b\r\n".repeat(5000)) },
  { id: "a field of a megabyte", answer: withHead(`x-a: ${"b".repeat(1_000_000)}\r\n`) },
  { id: "a reason of a megabyte", answer: raw(`HTTP/1.1 200 ${"O".repeat(1_000_000)}\r\n${length}\r\n${plain}`) },
  { id: "status 999", answer: withFields({}, "999 Whatever") },
  { id: "status 99", answer: withFields({}, "099 Less") },
  { id: "status of ten digits", answer: withFields({}, "2000000000 OK") },
  { id: "204 with a body", answer: withFields({}, "204 No Content") },
  { id: "304", answer: withFields({}, "304 Not Modified") },
  { id: "no TLS", https: true, answer: withHead("") },
];
