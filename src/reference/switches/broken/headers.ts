import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

const presence = ["RATE-001", "RATE-002", "RATE-003", "RATE-004", "RATE-005", "RATE-006"] as const;

/** Rows that follow from any trouble with the headers, limit checks included. */
const consequences = [
  "SVC-011",
  "STRM-009",
  "RATE-033",
  "RATE-037",
  "BURST-022",
  "SPEND-017",
  "RATE-008",
  "RATE-009",
  "RATE-010",
  "RATE-011",
  "RATE-013",
  "RATE-015",
  "RATE-016",
  "RATE-018",
  "RATE-019",
  "RATE-025",
  "RATE-026",
  "RATE-027",
  "RATE-028",
  "RATE-039",
] as const;

const values = ["RATE-007", ...consequences] as const;

const reset = ["RATE-010", "RATE-011"] as const;

export const headerMutants: readonly Mutant[] = [
  mutant("headers/of-the-latest", "Answers in flight together state the window of the request that came last", ["RATE-046"], {
    mayAlsoFail: ["RATE-012", "RATE-043", "SVC-024", ...consequences],
  }),
  mutant("headers/tokens-copy-requests", "The tokens that remain are the requests that remain", ["RATE-047"], {
    mayAlsoFail: ["RATE-031", ...values],
  }),
  mutant(
    "headers/kept-with-list",
    "The list of models is kept for five seconds, with the rate-limit fields of the key that asked first",
    ["RATE-046"],
    { mayAlsoFail: ["RATE-012", "RATE-038", "RATE-043", ...consequences], needs: ["key:secondary"] },
  ),
  mutant("headers/none", "No response carries rate headers", [...presence, "SVC-011"], {
    mayAlsoFail: values,
    origin: "vLLM, llama.cpp, new-api",
  }),
  mutant("headers/only-on-429", "Only a 429 carries rate headers", presence, {
    mayAlsoFail: values,
    origin: "OpenRouter, aimock",
  }),
  mutant("headers/only-on-success", "Only successes carry rate headers", presence, {
    mayAlsoFail: values,
    origin: "LiteLLM proxy",
  }),
  mutant("headers/missing-on-422", "422 carries no rate headers", presence, { mayAlsoFail: values }),
  mutant("headers/missing-on-429", "429 carries no rate headers", ["SPEND-017", "RATE-033", "BURST-022"], {
    mayAlsoFail: [...presence, ...values],
    needs: ["key:exhausted"],
  }),
  mutant("headers/missing-on-stream", "Streams carry no rate headers", ["STRM-009"], { mayAlsoFail: [...presence, ...values] }),
  mutant("headers/missing-without-tokens", "Endpoints without tokens carry no rate headers", ["RATE-037"], {
    mayAlsoFail: [...presence, ...values],
  }),
  mutant("headers/missing-on-5xx", "Server errors carry no rate headers", presence, {
    mayAlsoFail: values,
    needs: ["fault:500"],
  }),
  ...(
    [
      ["headers/limit-requests-absent", "x-ratelimit-limit-requests", "RATE-001"],
      ["headers/remaining-requests-absent", "x-ratelimit-remaining-requests", "RATE-002"],
      ["headers/reset-requests-absent", "x-ratelimit-reset-requests", "RATE-003"],
      ["headers/limit-tokens-absent", "x-ratelimit-limit-tokens", "RATE-004"],
      ["headers/remaining-tokens-absent", "x-ratelimit-remaining-tokens", "RATE-005"],
      ["headers/reset-tokens-absent", "x-ratelimit-reset-tokens", "RATE-006"],
    ] as const
  ).map(([id, field, row]) => mutant(id, `${field} is left out`, [row], { mayAlsoFail: values })),
  mutant("headers/reset-as-delta", "Resets are seconds from now", reset, {
    mayAlsoFail: values,
    origin: "@fastify/rate-limit, Kong",
  }),
  mutant("headers/reset-as-duration", "Resets are durations like 6m0s", reset, {
    mayAlsoFail: values,
    origin: "OpenAI, aimock",
  }),
  mutant("headers/reset-in-ms", "Resets are Unix milliseconds", reset, { mayAlsoFail: values }),
  mutant("headers/reset-as-date", "Resets are HTTP-dates", reset, { mayAlsoFail: values }),
  mutant("headers/reset-iso", "Resets are ISO 8601 timestamps", reset, {
    mayAlsoFail: values,
    origin: "Anthropic; LiteLLM reset_at",
  }),
  mutant("headers/reset-in-the-past", "Resets lie a minute back", reset, { mayAlsoFail: [...values, "RATE-023"] }),
  mutant("headers/reset-far-away", "Resets lie ten days ahead", reset, { mayAlsoFail: [...values, "RATE-023"] }),
  mutant("headers/remaining-negative", "remaining is below zero", ["RATE-007"], {
    mayAlsoFail: values,
    origin: "LiteLLM proxy",
  }),
  mutant("headers/remaining-above-limit", "remaining is greater than the limit", ["RATE-008", "RATE-009"], {
    mayAlsoFail: values,
  }),
  mutant("headers/remaining-words", "remaining reads: unlimited", ["RATE-007"], { mayAlsoFail: values }),
  mutant("headers/remaining-counts-up", "remaining shows what was used", ["RATE-043"], {
    mayAlsoFail: ["RATE-013", "RATE-014", "RATE-039", "RATE-017"],
  }),
  mutant("headers/remaining-always-zero", "remaining is 0 on every response", ["RATE-043"], {
    mayAlsoFail: ["RATE-013", "RATE-015", "RATE-039", "RATE-040"],
  }),
  mutant("headers/limit-with-window", "limit carries the window", ["RATE-007"], {
    mayAlsoFail: values,
    origin: "drafts of RateLimit header fields",
  }),
  mutant("headers/numbers-fractional", "limit and remaining have a fraction", ["RATE-007"], { mayAlsoFail: values }),
  mutant("headers/numbers-grouped", "Great numbers have thousands separators", ["RATE-007"], { mayAlsoFail: values }),
  mutant("headers/twice", "limit and remaining are sent twice", ["RATE-007"], {
    mayAlsoFail: [...presence, ...values],
    origin: "gateways that add what the service sent",
  }),
  mutant("headers/empty", "limit and remaining are empty", ["RATE-007"], { mayAlsoFail: [...presence, ...values] }),
  mutant("headers/json-as-text", "JSON is declared as text/plain", ["SVC-002"], {
    mayAlsoFail: ["ERR-012", "AUD-019", "CHAT-011", "CHAT-012", "CHAT-043"],
  }),
  mutant("headers/errors-as-html-type", "Errors are declared as text/html", ["ERR-012"], { mayAlsoFail: ["SVC-002", "ERR-001"] }),
  mutant("headers/content-type-missing", "Successes have no content type", ["SVC-002"], {
    mayAlsoFail: ["STRM-001", "STRM-003", "STRM-005", "CHAT-010", "AUD-019", "CHAT-011", "CHAT-012", "CHAT-043", "SVC-001"],
  }),
];
