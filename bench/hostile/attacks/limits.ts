import { type Attack, withFields } from "../attack.ts";

function limitOf(limit: string, remaining: string = limit, reset?: string): Attack["answer"] {
  return (socket, request) => {
    const at = reset ?? String(Math.floor(Date.now() / 1000) + 60);
    const fields = Object.fromEntries(
      ["requests", "tokens"].flatMap((kind) => [
        [`x-ratelimit-limit-${kind}`, limit],
        [`x-ratelimit-remaining-${kind}`, remaining],
        [`x-ratelimit-reset-${kind}`, at],
      ]),
    );
    withFields(fields)(socket, request);
  };
}

const tooMany = "429 Too Many Requests";
let counted = 0;

/** Each id begins with `limit`: the profiles that are about limits are tried on these only. */
export const limitAttacks: readonly Attack[] = [
  { id: "limit 2147483647", answer: limitOf("2147483647") },
  { id: "limit 1e7", answer: limitOf("10000000") },
  { id: "limit 1e9", answer: limitOf("1000000000") },
  { id: "limit 1e15", answer: limitOf("1000000000000000") },
  { id: "limit of 400 digits", answer: limitOf("9".repeat(400)) },
  { id: "limit 1e9, declared", answer: limitOf("1000000000"), manifest: "limits: { requestsPerMinute: 1000000000 }" },
  { id: "limit 0", answer: limitOf("0") },
  { id: "limit 1", answer: limitOf("1") },
  { id: "limit 1, remaining 0 always", answer: limitOf("1", "0") },
  { id: "limit -1", answer: limitOf("-1") },
  { id: "limit NaN", answer: limitOf("NaN", "Infinity", "-Infinity") },
  { id: "limit 60, remaining 0 always", answer: limitOf("60", "0") },
  { id: "limit 5, remaining 0 always", answer: limitOf("5", "0") },
  {
    id: "limit 60, remaining 0, reset in a year",
    answer: limitOf("60", "0", String(Math.floor(Date.now() / 1000) + 31_536_000)),
  },
  { id: "limit 60, remaining never falls", answer: limitOf("60", "59") },
  { id: "limit 60, remaining counts up", answer: (socket, request) => limitOf("60", String((counted += 1)))(socket, request) },
  { id: "limit 60, resets of 400 digits", answer: limitOf("60", "0", "9".repeat(400)) },
  { id: "limit unsaid, remaining 0", answer: withFields({ "x-ratelimit-remaining-requests": "0" }) },
  {
    id: "limit by 429, Retry-After of a year",
    answer: withFields({ "retry-after": "31536000" }, tooMany, '{"retry-after":31536000}'),
  },
  { id: "limit by 429, Retry-After -5", answer: withFields({ "retry-after": "-5" }, tooMany, '{"retry-after":-5}') },
  {
    id: "limit by 429, Retry-After beyond all dates",
    answer: withFields({ "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }, tooMany, '{"retry-after":1e308}'),
  },
  {
    id: "limit by quota, wait of 1e308",
    answer: withFields({}, tooMany, '{"error":"quota_exceeded","retry_after_ms":1e308,"cap_type":"monthly_spend"}'),
  },
  {
    id: "limit by 503, Retry-After of a year",
    answer: withFields({ "retry-after": "31536000" }, "503 Service Unavailable", "{}"),
  },
  {
    id: "limit 60, dates at the end of time",
    answer: withFields({ date: "Fri, 31 Dec 9999 23:59:59 GMT", "x-ratelimit-limit-requests": "60" }),
  },
];
