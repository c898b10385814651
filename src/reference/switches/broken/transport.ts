import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

/** A body that cannot be read fails every row that reads it. */
const unreadable = [
  "AUD-019",
  "AUTH-015",
  "AUTH-027",
  "CHAT-011",
  "CHAT-012",
  "CHAT-043",
  "EMB-033",
  "ERR-001",
  "ERR-005",
  "ERR-012",
  "ERR-026",
  "ERR-028",
  "ERR-033",
  "ERR-038",
  "IMG-028",
  "MOD-001",
  "RATE-020",
  "RATE-021",
  "SPEND-021",
  "STRM-012",
  "SVC-001",
  "SVC-002",
  "USG-001",
] as const;

export const transportMutants: readonly Mutant[] = [
  mutant("transport/streams-cut", "Every stream is cut in the middle", ["SVC-021"], {
    mayAlsoFail: ["CHAT-010", "STRM-003", "STRM-005", "USG-041", "XOAI-002", "XOAI-003"],
  }),
  mutant("transport/transcriptions-reset", "Uploads are answered with a reset", ["SVC-021"], {
    mayAlsoFail: ["SVC-006", "AUD-001"],
  }),
  mutant("transport/tenth-request-reset", "The tenth request on a connection is reset", ["SVC-025"], {
    mayAlsoFail: ["SVC-021"],
    origin: "gateways that count requests by connection and close it at once",
  }),
  mutant("transport/images-fail", "Images are answered 500", ["SVC-021"], { mayAlsoFail: ["SVC-005", "IMG-001", "SVC-014"] }),
  mutant("transport/invalid-utf8", "Bodies hold bytes that are no UTF-8", ["SVC-001"], { mayAlsoFail: unreadable }),
  mutant("transport/json-trailing-comma", "JSON objects end with a comma", ["SVC-001"], { mayAlsoFail: unreadable }),
  mutant("transport/json-cut", "JSON lacks its last character", ["SVC-001"], { mayAlsoFail: unreadable }),
  mutant("transport/coding-not-applied", "Bodies are declared as gzip and are plain", ["SVC-001"], {
    mayAlsoFail: unreadable,
    origin: "gateways that unpack a body and keep its head",
  }),
  mutant("transport/gzip-cut", "Bodies that are packed for clients that accept it are cut", ["SVC-001"], {
    mayAlsoFail: unreadable,
    origin: "gateways that keep the length of the plain body",
  }),
  mutant("transport/coding-unknown", "Bodies are declared as zstd, which no request asks for", ["SVC-001"], {
    mayAlsoFail: unreadable,
  }),
  mutant(
    "transport/older-instance",
    "Some of the answers come from an older instance, which writes created as a text",
    ["CMPL-004"],
    {
      mayAlsoFail: ["CHAT-043", "IMG-020", "IMG-028", "MOD-001", "MOD-006", "MOD-012", "STRM-004", "XOAI-002", "XOAI-005"],
      origin: "rollouts of which some instances are not reached",
    },
  ),
  mutant("transport/json-single-quotes", "Error bodies are Python literals", ["ERR-001"], {
    mayAlsoFail: unreadable,
    origin: "str(dict) in Python services",
  }),
  mutant("transport/chunked-refused", "Bodies in chunks are refused", ["REQ-006"], {
    origin: "servers that read as many bytes as Content-Length says",
  }),
  mutant("transport/chunked-json-empty", "JSON in chunks is read as no body", ["REQ-006"], {
    origin: "WSGI servers that read as many bytes as Content-Length says, which is none",
  }),
  mutant("transport/chunked-forms-empty", "Forms in chunks are read as no body", ["REQ-006"]),
  mutant("transport/body-after-continue-lost", "A body that follows 100 Continue is read as no body", ["REQ-007"], {
    origin: "gateways that pass the head on and close before the body",
  }),
  mutant("transport/chunk-sizes-in-text", "The size of a chunk stays in the text of a body", ["CMPL-024"], {
    mayAlsoFail: ["CHAT-045", "EMB-015", "EMB-031", "EMB-038"],
  }),
  mutant("transport/json-not-a-number", "Sums of the usage report are NaN", ["SVC-001"], {
    mayAlsoFail: ["USG-001", "USG-025", "USG-027", "USG-029"],
  }),
];
