import type { ConformanceResult, RequirementResult, SuiteResult } from "../../src/core/result/conformance-result.ts";
import type { MatrixCell } from "../../src/core/result/conformance-matrix.ts";
import { type Level, type SuiteId, suiteIds } from "../../src/core/result/requirement.ts";
import type { Verdict } from "../../src/core/result/verdict.ts";

type Row = readonly [id: string, suite: SuiteId, level: Level, section: string, text: string, verdict?: Verdict, reason?: string];

const chatPath = "Endpoints > POST /v1/chat/completions";
const embeddingsPath = "Endpoints > POST /v1/embeddings";
const rateLimits = "Limits > Rate limits";

/** Statements written by hand; the rest of the catalogue's size is made of numbered siblings. */
const rows: readonly Row[] = [
  ["CORE-001", "core", "must", "Authentication", "A request without an Authorization header is answered 401."],
  ["CORE-002", "core", "must", "Authentication", "A malformed, expired or revoked token is answered 401."],
  ["CORE-007", "core", "must", "Errors", "Every error response carries a machine-readable code."],
  ["CORE-009", "core", "must", "Errors", "Malformed JSON is answered 422 with the field at fault in error.details.", "fail"],
  ["CORE-011", "core", "should", "Errors", "A wrong JSON type is answered 422 rather than 400.", "advisory"],
  ["CHAT-001", "chat", "must", chatPath, "A valid request is answered with a chat completion object."],
  ["CHAT-014", "chat", "must", chatPath, "temperature above 2 is answered 422.", "fail"],
  ["CHAT-015", "chat", "must", chatPath, "temperature below 0 is answered 422."],
  ["CHAT-021", "chat", "must", "Resources > Chat completion", "usage.total_tokens is the sum of prompt and completion tokens."],
  ["STR-001", "stream", "must", "Events", "stream: true is answered with text/event-stream."],
  ["STR-004", "stream", "must", "Events", "The stream is finite and holds at least one data event."],
  ["EMB-003", "embeddings", "must", embeddingsPath, "An array input gives one vector for each item, in order."],
  ["EMB-006", "embeddings", "must", embeddingsPath, "encoding_format base64 gives the same vector as float."],
  ["IMG-002", "images", "must", "Endpoints > POST /v1/images/generations", "size takes the three named values and no other."],
  ["AUD-004", "audio", "must", "Endpoints > POST /v1/audio/transcriptions", "Each supported container is accepted."],
  ["MOD-001", "models", "must", "Endpoints > GET /v1/models", "The listing names the model that chat requests use."],
  [
    "USE-005",
    "usage",
    "must",
    "Endpoints > GET /v1/usage",
    "The buckets add up to the aggregate.",
    "inconclusive",
    "no-rollover: the window held one bucket only",
  ],
  ["LIM-001", "limits", "must", rateLimits, "Every response carries the six x-ratelimit headers.", "fail"],
  ["LIM-004", "limits", "must", rateLimits, "No more requests are admitted in a window than its limit allows.", "fail"],
  [
    "LIM-009",
    "limits",
    "must",
    "Limits > Burst and cooldown",
    "After the burst allowance the key cools down for cooldown_seconds.",
  ],
  ["SET-002", "settings", "must", "Endpoints > PATCH /v1/keys/{key_id}", "A changed burst_limit takes effect."],
  [
    "SPD-001",
    "spend",
    "must",
    "Limits > Spend caps",
    "A key that reached its cap is answered 429.",
    "untested",
    "not-permitted: permissions.spendUpToCents is 0",
  ],
  [
    "SCO-003",
    "scopes",
    "must",
    "Authentication",
    "A read-only key cannot call write endpoints.",
    "untested",
    "no-fixture: no key named readOnly in the manifest",
  ],
  ["FLT-002", "faults", "must", "Errors", "503 carries a Retry-After header.", "untested", "not-observed: no 503 was seen"],
  [
    "CORE-031",
    "core",
    "must",
    "Authentication",
    "Keys stay out of version control.",
    "excluded",
    "an obligation of the caller, not of the service",
  ],
  ["CHAT-040", "chat", "unspecified", chatPath, "Unknown members of the body.", "observed"],
  ["CONV-001", "convention", "must", "Events", "The stream ends with a [DONE] event."],
];

const siblings: Readonly<Partial<Record<SuiteId, readonly [prefix: string, section: string, count: number]>>> = {
  core: ["CORE", "Errors", 28],
  chat: ["CHAT", chatPath, 34],
  stream: ["STR", "Events", 12],
  embeddings: ["EMB", embeddingsPath, 16],
  images: ["IMG", "Endpoints > POST /v1/images/generations", 14],
  audio: ["AUD", "Endpoints > POST /v1/audio/transcriptions", 12],
  models: ["MOD", "Endpoints > GET /v1/models", 6],
  usage: ["USE", "Endpoints > GET /v1/usage", 13],
  limits: ["LIM", rateLimits, 18],
  settings: ["SET", "Endpoints > PATCH /v1/keys/{key_id}", 9],
  convention: ["CONV", "Events", 6],
};

export function sampleConformance(): ConformanceResult {
  const requirements = [...rows.map(handWritten), ...generated()].toSorted((a, b) => a.id.localeCompare(b.id));
  return {
    suites: suiteIds.map((id) => suiteOf(id, requirements)),
    requirements,
    leniency: [
      {
        requirement: "CHAT-040",
        question: "Are unknown members of a chat request accepted?",
        answer: "ignored, answered 200",
        exchanges: [61],
      },
      {
        requirement: "CHAT-041",
        question: "What does an empty messages array get?",
        answer: "422 with error.details",
        exchanges: [62, 63],
      },
      {
        requirement: "AUTH-050",
        question: "Is the Bearer scheme matched without regard to case?",
        answer: "yes",
        exchanges: [64],
      },
      { requirement: "LIM-050", question: "Do rejected requests consume the allowance?", answer: "no", exchanges: [190] },
      {
        requirement: "LIM-051",
        question: "Does remaining count the request that carries it?",
        answer: "yes, it shows the value after the request",
        exchanges: [120],
      },
    ],
    matrix: sampleMatrix(),
  };
}

function sampleMatrix(): readonly MatrixCell[] {
  const cell = (
    endpoint: MatrixCell["endpoint"],
    condition: MatrixCell["condition"],
    requirements: number,
    violated: readonly string[] = [],
    verdict?: MatrixCell["verdict"],
  ): MatrixCell => ({
    endpoint,
    condition,
    verdict: verdict ?? (violated.length > 0 ? "fail" : "pass"),
    exchanges: requirements * 3,
    requirements,
    violated,
  });
  return [
    cell("chat", "success", 31, ["CHAT-014"]),
    cell("chat", "stream", 14),
    cell("chat", "401", 4),
    cell("chat", "422", 22),
    cell("chat", "429", 9, ["LIM-001"]),
    cell("embeddings", "success", 12),
    cell("embeddings", "401", 4),
    cell("embeddings", "422", 14, ["CORE-011"], "advisory"),
    cell("embeddings", "other", 3, ["CORE-009"]),
    cell("images", "success", 10),
    cell("images", "422", 9),
    cell("transcriptions", "success", 8),
    cell("transcriptions", "422", 6),
    cell("models", "success", 7),
    cell("models", "429", 9, ["LIM-001"]),
    cell("usage", "success", 9, [], "inconclusive"),
    cell("usage", "422", 5),
    cell("key-settings", "404", 3),
    cell("workspaces", "success", 1, [], "observed"),
  ];
}

function handWritten([id, suite, level, section, text, verdict = "pass", reason]: Row): RequirementResult {
  const violated = verdict === "fail" ? 3 : verdict === "advisory" ? 2 : 0;
  return {
    id,
    suite,
    level,
    section,
    text,
    verdict,
    reason: reason ?? (verdict === "observed" ? "the specification does not say" : null),
    considered: verdict === "untested" || verdict === "excluded" ? 0 : 12,
    violated,
    judges: [`${suite}-${id.toLowerCase()}`],
    exchanges: verdict === "untested" || verdict === "excluded" ? [] : [41],
    findings: findingsOf[id] ?? [],
    reading: id === "CORE-011" ? "AMB-07" : null,
  };
}

const findingsOf: Readonly<Record<string, readonly string[]>> = {
  "CHAT-014": ["F001"],
  "LIM-001": ["F002"],
  "LIM-004": ["F003"],
  "CORE-009": ["F004"],
  "CORE-011": ["F007"],
};

function generated(): readonly RequirementResult[] {
  return Object.entries(siblings).flatMap(([suite, [prefix, section, count]]) =>
    Array.from({ length: count }, (_, index) =>
      handWritten([
        `${prefix}-${String(101 + index)}`,
        suite as SuiteId,
        index % 9 === 8 ? "should" : index % 11 === 10 ? "may" : "must",
        section,
        `Member ${index + 1} of the answer has the type and the range that the specification gives it.`,
      ]),
    ),
  );
}

function suiteOf(id: SuiteId, requirements: readonly RequirementResult[]): SuiteResult {
  const counts: Record<Level, Partial<Record<Verdict, number>>> = { must: {}, implied: {}, should: {}, may: {}, unspecified: {} };
  for (const row of requirements.filter((requirement) => requirement.suite === id)) {
    counts[row.level][row.verdict] = (counts[row.level][row.verdict] ?? 0) + 1;
  }
  const { fail = 0, untested = 0, inconclusive = 0 } = counts.must;
  return { id, verdict: fail > 0 ? "non-conformant" : untested + inconclusive > 0 ? "incomplete" : "conformant", counts };
}
