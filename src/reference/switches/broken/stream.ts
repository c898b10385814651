import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

/** Rows that read each event as a chunk. */
const chunks = ["XOAI-001", "XOAI-002", "XOAI-003", "XOAI-005", "XOAI-006"] as const;

export const streamMutants: readonly Mutant[] = [
  mutant("stream/costs-nothing", "Streams cost nothing", ["USG-044"]),
  mutant("stream/refused", "stream: true is refused", ["CHAT-010"], {
    mayAlsoFail: ["REQ-004", "STRM-001", "STRM-003", "STRM-005", "STRM-010", "STRM-012"],
  }),
  mutant("stream/ignored", "stream: true is answered with a JSON object", ["CHAT-010", "STRM-001"], {
    mayAlsoFail: ["STRM-003", "STRM-005", "STRM-008", "STRM-009"],
  }),
  mutant("stream/false-ignored", "stream: false is streamed", ["CHAT-011"], {
    mayAlsoFail: ["CHAT-001", "CHAT-043", "SVC-001", "SVC-002", "SVC-003"],
  }),
  mutant("stream/by-default", "Without the member stream the answer is streamed", ["CHAT-012"], {
    mayAlsoFail: ["CHAT-001", "CHAT-043", "SVC-001", "SVC-002", "SVC-003", "CMPL-001"],
  }),
  mutant("stream/json-media-type", "Streams are declared as application/json", ["STRM-001"], {
    mayAlsoFail: ["CHAT-010", "CHAT-043", "SVC-001", "STRM-003", "STRM-005", "STRM-009"],
  }),
  mutant("stream/text-plain", "Streams are declared as text/plain", ["STRM-001"], {
    mayAlsoFail: ["CHAT-010", "SVC-001", "SVC-002", "STRM-003", "STRM-005", "STRM-009"],
  }),
  mutant("stream/422-as-event", "Failed validation is reported in a stream", ["STRM-010"], {
    mayAlsoFail: ["ERR-022", "STRM-013", ...chunks],
  }),
  mutant("stream/401-as-event", "Missing credentials are reported in a stream", ["STRM-011"], {
    mayAlsoFail: ["SVC-010", "AUTH-002", "ERR-013", ...chunks],
  }),
  mutant("stream/429-as-event", "An exceeded limit is reported in a stream", ["SPEND-001"], {
    mayAlsoFail: ["RATE-019", "RATE-020", "RATE-021", "SPEND-009", "STRM-012", ...chunks],
    needs: ["key:exhausted"],
  }),
  mutant("stream/429-as-text", "A stream beyond a limit is refused in plain text", ["STRM-012"], {
    mayAlsoFail: ["ERR-001", "ERR-012", "ERR-038", "RATE-020", "RATE-021", "SVC-001", "SVC-002"],
    needs: ["key:lowLimit"],
  }),
  mutant("stream/invalid-utf8", "Bytes that are no UTF-8 are streamed", ["STRM-002"]),
  mutant("stream/json-lines", "Lines of JSON without the data field are streamed", ["STRM-003"], {
    mayAlsoFail: ["CHAT-010", "STRM-005", "XOAI-001", "XOAI-002", "XOAI-003", "XOAI-004", "XOAI-006"],
    origin: "Ollama's own API",
  }),
  mutant("stream/never-ends", "The connection stays open after the last event", ["STRM-005"], {
    mayAlsoFail: ["CHAT-010", "XOAI-004"],
  }),
  mutant("stream/first-piece-lost", "The first piece of the text is left out of a stream", ["CHAT-045"]),
  mutant("stream/growing-texts", "Each delta repeats the text before it", ["XOAI-002"], { origin: "QwenLM/qwen-code#3896" }),
  mutant(
    "stream/left-slots",
    "Streams that their clients left keep their places: after four of them a key gets none",
    ["STRM-018"],
    {
      mayAlsoFail: ["SVC-021"],
    },
  ),
  mutant("stream/events-of-another", "Each third event has the id of another stream", ["SVC-022"], { mayAlsoFail: chunks }),
  mutant("stream/object-wrong", "Chunks are called chat.completion", ["XOAI-001"]),
  mutant("stream/message-for-delta", "Chunks carry message in place of delta", ["XOAI-002"], {
    mayAlsoFail: ["XOAI-006", "XOAI-007"],
  }),
  mutant("stream/finish-reason-empty", "finish_reason is empty until the end", ["XOAI-003"], {
    origin: "vllm#19662, ollama#4357",
  }),
  mutant("stream/two-finish-chunks", "Two chunks finish the answer", ["XOAI-003"], { origin: "sglang#3912" }),
  mutant("stream/finish-absent", "No chunk finishes the answer", ["XOAI-003"], { mayAlsoFail: ["XOAI-008"] }),
  mutant("stream/done-in-json", "The end is marked by a JSON object", ["XOAI-004"], {
    mayAlsoFail: ["XOAI-001", "XOAI-002", "XOAI-003", "XOAI-005"],
  }),
  mutant("stream/id-changes", "Every chunk has an id of its own", ["XOAI-005"]),
  mutant("stream/created-changes", "created grows from chunk to chunk", ["XOAI-005"]),
  mutant("stream/role-absent", "No chunk names the role", ["XOAI-006"], { origin: "gateways that merge the first two chunks" }),
  mutant("stream/tool-index-absent", "Deltas of tool calls have no index", ["XOAI-007"], {
    origin: "Gemini compatibility layer",
  }),
  mutant("stream/length-as-stop", "Truncated answers report stop", ["XOAI-008"]),
  mutant("stream/tool-calls-as-stop", "Tool calls report stop", ["XOAI-008"], {
    mayAlsoFail: ["XOAI-007"],
    origin: "llama.cpp before native tool calls",
  }),
];
