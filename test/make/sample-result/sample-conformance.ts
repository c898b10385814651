import type { ConformanceResult, RequirementResult, SuiteResult } from "../../../src/core/result/conformance-result.ts";
import type { MatrixCell } from "../../../src/core/result/conformance-matrix.ts";
import { type Level, type SuiteId, suiteIds } from "../../../src/core/result/requirement.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";

type Row = readonly [id: string, suite: SuiteId, level: Level, section: string, text: string, verdict?: Verdict, reason?: string];

const chatPath = "Endpoints > POST /v1/chat/completions";
const rateLimits = "Limits > Rate limits";

/** Statements that something is said of; numbered siblings that are met make up the size of the catalogue. */
const rows: readonly Row[] = [
  ["CORE-009", "core", "must", "Errors", "Malformed JSON is answered 422 with the field at fault in error.details.", "fail"],
  ["CORE-011", "core", "should", "Errors", "A wrong JSON type is answered 422 rather than 400.", "advisory"],
  ["CHAT-014", "chat", "must", chatPath, "temperature above 2 is answered 422.", "fail"],
  ["CHAT-040", "chat", "unspecified", chatPath, "Unknown members of the body.", "observed"],
  ["USE-005", "usage", "must", "Usage", "The buckets add up.", "inconclusive", "no-rollover: the window held one bucket only"],
  ["LIM-001", "limits", "must", rateLimits, "Every response carries the six x-ratelimit headers.", "fail"],
  ["LIM-004", "limits", "must", rateLimits, "No more requests are admitted in a window than its limit allows.", "fail"],
  ["SPD-001", "spend", "must", "Spend", "A cap is hard.", "untested", "not-permitted: permissions.spendUpToCents is 0"],
  [
    "SCO-003",
    "scopes",
    "must",
    "Keys",
    "A read-only key reads.",
    "untested",
    "no-fixture: no key named readOnly in the manifest",
  ],
  ["FLT-002", "faults", "must", "Errors", "503 carries a Retry-After header.", "untested", "not-observed: no 503 was seen"],
  ["CORE-031", "core", "must", "Keys", "Keys stay out of version control.", "excluded", "an obligation of the caller"],
];

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
      { requirement: "LIM-050", question: "Do rejected requests consume the allowance?", answer: "no", exchanges: [190, 191] },
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
    cell("chat", "429", 9, ["LIM-001"]),
    cell("embeddings", "422", 14, ["CORE-011"], "advisory"),
    cell("embeddings", "other", 3, ["CORE-009"]),
    cell("usage", "success", 9, [], "inconclusive"),
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
  return suiteIds.flatMap((suite) =>
    Array.from({ length: 19 }, (_, index) =>
      handWritten([
        `${suite.toUpperCase()}-${101 + index}`,
        suite,
        index % 9 === 8 ? "should" : index % 11 === 10 ? "may" : "must",
        `Endpoints > ${suite}`,
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
