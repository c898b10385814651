import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";
import { errorRows } from "./error-rows.ts";

export const errorMutants: readonly Mutant[] = [
  mutant("errors/charset-refused", "application/json with a parameter is refused", ["REQ-002"]),
  mutant("errors/code-missing", "No error has a code", ["ERR-001"], { mayAlsoFail: errorRows.shape }),
  mutant("errors/code-missing-on-404", "404 has no code", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "KEY-016", "ERR-018"],
  }),
  mutant("errors/code-missing-on-429", "Refusals for limits have no code", ["ERR-038", "ERR-001"], { needs: ["key:lowLimit"] }),
  mutant("errors/429-as-403", "Exceeded limits are answered 403", ["ERR-025", "RATE-019"], {
    mayAlsoFail: [],
    needs: ["key:lowLimit"],
  }),
  mutant("errors/code-null", "error.code is null", ["ERR-001"], {
    mayAlsoFail: errorRows.shape,
    origin: "Ollama",
  }),
  mutant("errors/code-empty", "error.code is empty", ["ERR-002"], {
    mayAlsoFail: [...errorRows.shape, "ERR-001"],
    origin: "new-api",
  }),
  mutant("errors/string", "error is a text beside error_type", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "ERR-005", "ERR-006", "ERR-007"],
    origin: "text-generation-inference",
  }),
  mutant("errors/string-on-401", "401 is { error: Unauthorized }", ["ERR-001", "AUTH-027"], {
    mayAlsoFail: errorRows.shape,
    origin: "vLLM, SGLang",
  }),
  mutant("errors/message-only", "Errors are { message }", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "ERR-005", "ERR-006", "ERR-007"],
    origin: "Kong",
  }),
  mutant("errors/flat", "The members of error lie at the top level", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "ERR-005", "ERR-006", "ERR-007"],
    origin: "SGLang",
  }),
  mutant("errors/array", "Errors are arrays", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "ERR-005", "ERR-006", "ERR-007"],
    origin: "Gemini compatibility layer",
  }),
  mutant("errors/quota-shape-everywhere", "Errors have a type in place of the code", ["ERR-001"], {
    mayAlsoFail: errorRows.shape,
  }),
  mutant("errors/empty-body-on-401", "401 has no body", ["ERR-001"], {
    mayAlsoFail: [...errorRows.shape, "SVC-001", "SVC-002"],
    origin: "text-generation-inference",
  }),
  mutant("errors/html-on-404", "404 is an HTML page", ["ERR-001", "ERR-012"], {
    mayAlsoFail: [...errorRows.shape, "SVC-001", "SVC-002", "ERR-018", "KEY-016", "KEY-017", "KEY-018"],
    origin: "reverse proxies",
  }),
  mutant("errors/html-on-422", "422 is an HTML page", ["ERR-001", "ERR-005", "ERR-012"], {
    mayAlsoFail: [...errorRows.shape, "SVC-001", "SVC-002", ...errorRows.validation],
  }),
  mutant("errors/400-for-422", "Failed validation is answered 400", ["ERR-020", "ERR-021", "ERR-022", "ERR-024"], {
    mayAlsoFail: [...errorRows.validation, "CHAT-005", "EMB-041", "IMG-032"],
    origin: "vLLM, SGLang, llama.cpp, Ollama",
  }),
  mutant("errors/malformed-json-400", "Malformed JSON is answered 400", ["ERR-020", "CHAT-040"], {
    mayAlsoFail: [...errorRows.malformed, "ERR-023", "ERR-024"],
    origin: "Stoplight Prism",
  }),
  mutant("errors/malformed-json-500", "Malformed JSON is answered 500", ["SVC-014"], {
    mayAlsoFail: [...errorRows.malformed, "ERR-024"],
    origin: "Portkey gateway",
  }),
  mutant("errors/encoded-path-500", "A path with a percent-encoded letter is answered 500", ["SVC-014"]),
  mutant("errors/empty-body-500", "An empty body is answered 500", ["SVC-014"], {
    mayAlsoFail: [...errorRows.malformed, "ERR-024"],
  }),
  mutant("errors/empty-body-as-object", "An empty chat body is taken for a conversation", ["CHAT-041"], {
    mayAlsoFail: [...errorRows.malformed, "ERR-024"],
  }),
  mutant("errors/json-media-type-refused", "application/json without a charset is refused", ["REQ-001"], {
    mayAlsoFail: [...errorRows.positive, ...errorRows.validation],
  }),
  mutant("errors/json-repaired", "Malformed JSON is repaired and served", ["ERR-020", "CHAT-040"], {
    mayAlsoFail: [...errorRows.malformed, "ERR-024"],
  }),
  mutant("errors/nan-taken", "NaN and Infinity in a body are read as numbers", ["ERR-020", "CHAT-040"], {
    mayAlsoFail: ["ERR-024"],
  }),
  mutant("errors/comments-taken", "Comments in a body are left out", ["ERR-020", "CHAT-040"], { mayAlsoFail: ["ERR-024"] }),
  mutant("errors/200-with-error-body", "Failed validation is answered 200 with an error in it", ["ERR-021", "ERR-022"], {
    mayAlsoFail: ["AUD-002", "AUD-020", "AUD-023", ...errorRows.validation, ...errorRows.objects],
    origin: "OpenRouter, one-api",
  }),
  mutant("errors/404-as-400", "Unknown ids are answered 400", ["KEY-016", "ERR-018"], {
    mayAlsoFail: ["KEY-017", "KEY-018", "ERR-019", "ERR-024"],
    needs: ["key:admin"],
  }),
  mutant("errors/details-missing", "422 has no details", ["ERR-005"], { mayAlsoFail: ["ERR-006", "ERR-007"] }),
  mutant("errors/details-empty", "details is always empty", ["ERR-006"], { mayAlsoFail: ["ERR-005", "ERR-007"] }),
  mutant("errors/details-object", "details is an object by field", ["ERR-005"], { mayAlsoFail: ["ERR-006", "ERR-007"] }),
  mutant("errors/details-first-only", "details lists the first failing field only", ["ERR-006"], { mayAlsoFail: ["ERR-007"] }),
  mutant("errors/details-without-field", "details does not name the fields", ["ERR-006"], { mayAlsoFail: ["ERR-007"] }),
  mutant("errors/details-without-expected", "details does not name the expected format", ["ERR-007"]),
  mutant("errors/500-plain-text", "500 is plain text", ["ERR-026"], {
    mayAlsoFail: [...errorRows.shape, "ERR-001", "SVC-001", "SVC-002"],
    needs: ["fault:500"],
  }),
  mutant("errors/500-as-200", "An internal error is answered 200", ["ERR-026"], {
    mayAlsoFail: ["ERR-001", "MOD-001", "MOD-002", "MOD-003", "SVC-007", ...errorRows.objects],
    needs: ["fault:500"],
    origin: "OpenRouter once generation began",
  }),
  mutant("errors/502-html", "502 is the page of the proxy in front", ["ERR-028"], {
    mayAlsoFail: [...errorRows.shape, "ERR-001", "SVC-001", "SVC-002"],
    needs: ["fault:502"],
    origin: "nginx",
  }),
  mutant("errors/503-empty", "503 has no body", ["ERR-033"], {
    mayAlsoFail: [...errorRows.shape, "ERR-001", "SVC-001", "SVC-002"],
    needs: ["fault:503"],
    origin: "HAProxy",
  }),
  mutant("errors/503-without-retry-after", "503 does not state the wait", ["ERR-030"], {
    mayAlsoFail: ["ERR-031", "ERR-032"],
    needs: ["fault:503"],
    origin: "Ollama, llama.cpp while loading",
  }),
  mutant("errors/503-retry-after-words", "Retry-After of a 503 reads: soon", ["ERR-031"], {
    mayAlsoFail: ["ERR-030", "ERR-032"],
    needs: ["fault:503"],
  }),
  mutant("errors/503-retry-after-fraction", "Retry-After of a 503 has a fraction", ["ERR-031"], {
    mayAlsoFail: ["ERR-030", "ERR-032"],
    needs: ["fault:503"],
  }),
  mutant("errors/503-retry-after-instant", "Retry-After of a 503 is the Unix time at which to come back", ["ERR-031"], {
    mayAlsoFail: ["ERR-030", "ERR-032"],
    needs: ["fault:503"],
  }),
  mutant("errors/503-retry-after-negative", "Retry-After of a 503 is negative", ["ERR-031"], {
    mayAlsoFail: ["ERR-030", "ERR-032"],
    needs: ["fault:503"],
  }),
  mutant("errors/text-behind-ignored", "Text behind the JSON of a body is not read", ["CHAT-040", "EMB-041", "IMG-032"], {
    mayAlsoFail: ["ERR-009", "ERR-020", "ERR-024", "KEY-019", "ACC-008"],
    origin: "json.NewDecoder of Go",
  }),
  mutant("errors/white-space-refused", "White space before the JSON of a body is refused", ["REQ-005"], {
    mayAlsoFail: ["EMB-040", "IMG-031"],
  }),
];
