import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { type Attack, body, flood, json, megabyte } from "../attack.ts";

/** Hundreds of megabytes that travel as a few hundred kilobytes; made when they are asked for. */
function bomb(type: string, coding: string, make: () => Buffer): Attack["answer"] {
  let bytes: Buffer | null = null;
  return (socket, request) => {
    bytes ??= make();
    body(bytes, `${json.replace("application/json", type)}content-encoding: ${coding}\r\n`)(socket, request);
  };
}

const huge = (piece: string): Buffer => Buffer.alloc(400 * megabyte, piece);

function nested(depth: number, open: string, close: string): string {
  return `{"object":"list","data":${open.repeat(depth)}1${close.repeat(depth)},"usage":${open.repeat(depth)}1${close.repeat(depth)}}`;
}

function manyMembers(): string {
  return `{${Array.from({ length: 60_000 }, (_, at) => `"m${at % 30_000}":${at}`).join(",")}}`;
}

const unprocessable = json.replace("200 OK", "422 Unprocessable Content");

export const bodyAttacks: readonly Attack[] = [
  { id: "JSON nested 5,000 deep", answer: body(nested(5000, "[", "]")) },
  { id: "JSON nested 100,000 deep", answer: body(nested(100_000, '{"a":', "}")) },
  { id: "JSON nested 512 deep", answer: body(nested(500, '{"a":', "}")) },
  { id: "error nested 5,000 deep", answer: body(nested(5000, '{"error":', "}"), unprocessable) },
  {
    id: "error with 90,000 details",
    answer: body(`{"error":{"code":"x","details":[${'{"field":"a","expected":"b"},'.repeat(20_000)}{}]}}`, unprocessable),
  },
  { id: "60,000 members, each twice", answer: body(manyMembers()) },
  { id: "300,000 values of a wrong type", answer: body(`{"object":"list","data":[${"0,".repeat(300_000)}0]}`) },
  { id: "90,000 values of a wrong type", answer: body(`{"object":"list","data":[${"0,".repeat(90_000)}0]}`) },
  {
    id: "20,000 models of names without end",
    answer: body(
      `{"object":"list","data":[${Array.from({ length: 20_000 }, (_, at) => `{"id":"${"m".repeat(40)}${at}"}`).join(",")}]}`,
    ),
  },
  { id: "one name of a megabyte", answer: body(`{"object":"list","data":[{"id":"${"m".repeat(megabyte - 100)}"}]}`) },
  {
    id: "numbers beyond a double",
    answer: body(`{"object":"list","data":[{"id":"m","created":1e999}],"usage":{"total_tokens":${"9".repeat(4000)}}}`),
  },
  {
    id: "numbers at the end of a double",
    answer: body(
      '{"object":"list","created":-1e308,"data":[{"id":"m","created":1e308,"embedding":[1e308,-1e308]}],"usage":{"prompt_tokens":1e308,"completion_tokens":-1e308,"total_tokens":1.7e308},"retry_after_ms":1e308}',
    ),
  },
  {
    id: "__proto__ and constructor",
    answer: body(
      '{"__proto__":{"object":"list","polluted":true},"constructor":{"prototype":{"x":1}},"data":[{"id":"__proto__","toString":1}],"object":"list","hasOwnProperty":1}',
    ),
  },
  { id: "100 MB of JSON", answer: flood(`${json}\r\n{"object":"list","data":["`, "x".repeat(megabyte), 100 * megabyte) },
  { id: "a body without end", answer: flood(`${json}\r\n`, Buffer.alloc(megabyte, 0xff)) },
  {
    id: "UTF-16",
    answer: body(Buffer.from('{"object":"list","data":[]}', "utf16le"), json.replace("json", "json; charset=utf-16")),
  },
  { id: "bytes that are no UTF-8", answer: body(Buffer.alloc(200_000, 0xc0)) },
  { id: "gzip bomb in JSON", answer: bomb("application/json", "gzip", () => gzipSync(huge(" "))) },
  { id: "gzip bomb in events", answer: bomb("text/event-stream", "gzip", () => gzipSync(huge("data:1\n\n"))) },
  { id: "brotli bomb", answer: bomb("application/json", "br", () => brotliCompressSync(Buffer.alloc(64 * megabyte, " "))) },
  { id: "bomb in a bomb", answer: bomb("application/json", "deflate, gzip", () => gzipSync(deflateSync(huge("0")))) },
  {
    id: "500 codings",
    answer: body("x", `${json}content-encoding: ${Array.from({ length: 500 }, () => "gzip").join(", ")}\r\n`),
  },
  {
    id: "gzip that is cut",
    answer: body(gzipSync(Buffer.alloc(megabyte, "x")).subarray(0, 500), `${json}content-encoding: gzip\r\n`),
  },
];
