import type { Mutant } from "../switch.ts";
import { mutant, mutantNeeding } from "../switch-builders.ts";

const inExam = mutantNeeding("stage:limits", "permission:patchSettings", "permission:spendUpToCents");

/** Rows that fail with any service in which a cap does not bind. */
const capRows = [
  "ACC-004",
  "ACC-005",
  "KEY-010",
  "KEY-011",
  "KEY-012",
  "SPEND-001",
  "SPEND-002",
  "SPEND-009",
  "SPEND-010",
  "SPEND-011",
  "spend.admitted-at-cap",
  "spend.lower-ignored",
  "spend.overshoot",
  "spend.zero-ignored",
  "spend.account-cap-ignored",
];

export const spendMutants: readonly Mutant[] = [
  inExam("spend/no-cycle-reset", "Key spend is never reset", ["spend.cycle-not-reset"], {
    mayAlsoFail: ["SPEND-002"],
    needs: ["clock:manual"],
  }),
  inExam("spend/account-no-cycle-reset", "Account spend is never reset", ["spend.cycle-not-reset"], {
    mayAlsoFail: ["SPEND-002"],
    origin: "LiteLLM#20532",
    needs: ["clock:manual", "key:secondary"],
  }),
  inExam("spend/cycle-resets-daily", "Spend is reset every day", ["SPEND-002", "spend.cycle-early"], { needs: ["clock:manual"] }),
  inExam("spend/zero-is-unlimited", "A cap of 0 means no cap", ["spend.zero-ignored"], { mayAlsoFail: ["KEY-010"] }),
  inExam("spend/cap-in-dollars", "Caps are read as dollars", ["KEY-011", "SPEND-001", "spend.admitted-at-cap"], {
    mayAlsoFail: capRows,
  }),
  inExam("spend/lowering-ignored", "A lower cap does not replace a higher one", ["spend.lower-ignored"], {
    mayAlsoFail: ["KEY-012", "SPEND-001", "spend.admitted-at-cap", "spend.account-cap-ignored"],
  }),
  inExam("spend/raising-ignored", "A higher cap does not replace a lower one", ["spend.raise-ignored"], {
    mayAlsoFail: [
      "SPEND-008",
      "KEY-013",
      "spend.keys-share-cap",
      "KEY-011",
      "KEY-012",
      "SPEND-002",
      "SPEND-013",
      "spend.cycle-not-reset",
    ],
  }),
  inExam(
    "spend/account-cap-ignored",
    "The account cap has no effect",
    ["SPEND-010", "SPEND-011", "ACC-004", "ACC-005", "spend.account-cap-ignored"],
    { needs: ["key:secondary"] },
  ),
  inExam(
    "spend/account-cap-per-key",
    "The account cap is compared with each key's own spend",
    ["SPEND-010", "spend.account-cap-ignored"],
    { mayAlsoFail: ["ACC-004", "ACC-005", "SPEND-011"], needs: ["key:secondary"] },
  ),
  inExam("spend/larger-cap-wins", "The larger of key cap and account cap applies", ["SPEND-011", "spend.account-cap-ignored"], {
    mayAlsoFail: ["ACC-004", "ACC-005", "SPEND-001", "SPEND-010", "spend.admitted-at-cap", "spend.overshoot"],
    needs: ["key:secondary"],
  }),
  inExam(
    "spend/key-cap-hits-account",
    "A key at its cap has every key of its account refused",
    ["SPEND-008", "spend.keys-share-cap"],
    {
      mayAlsoFail: ["KEY-013"],
      needs: ["key:secondary"],
    },
  ),
  inExam(
    "spend/rate-error-shape",
    "Caps answer with the rate-limit shape",
    ["SPEND-003", "SPEND-004", "SPEND-006", "SPEND-015", "spend.refusal-shape"],
    { mayAlsoFail: ["SPEND-001", "SPEND-005", "spend.cap-type-missing"] },
  ),
  inExam("spend/status-403", "Caps answer 403", ["spend.refusal-shape"], {
    mayAlsoFail: [...capRows, "SPEND-003", "SPEND-004", "SPEND-009", "AUTH-027", "ERR-001"],
  }),
  inExam("spend/status-500", "Caps answer 500", ["spend.refusal-shape"], {
    mayAlsoFail: [...capRows, "SPEND-003", "SPEND-004", "SPEND-009", "ERR-001", "ERR-026", "SVC-021"],
  }),
  inExam("spend/recovers", "A refusal at a cap is forgotten after 5 s", ["spend.reopened"], {
    mayAlsoFail: [...capRows, "SPEND-001", "SPEND-002", "SPEND-009", "spend.admitted-at-cap"],
  }),
  inExam("spend/payment-required-status", "Caps answer 402", ["spend.refusal-shape"], {
    mayAlsoFail: [
      "ERR-001",
      "SPEND-001",
      "SPEND-002",
      "SPEND-003",
      "SPEND-004",
      "SPEND-009",
      "SPEND-010",
      "SPEND-011",
      "SPEND-015",
      "SPEND-021",
      "spend.account-cap-ignored",
    ],
    origin: "OpenRouter",
  }),
  inExam("spend/retry-after-seconds", "retry_after_ms holds seconds", ["spend.wait-untrue"], {
    mayAlsoFail: ["SPEND-002", "SPEND-005", "spend.cycle-not-reset"],
  }),
  inExam("spend/retry-after-one-minute", "retry_after_ms is always a minute", ["spend.wait-untrue"], {
    mayAlsoFail: ["SPEND-005"],
  }),
  mutant("spend/quota-word-other", "error of a quota refusal is another word", ["ERR-010", "SPEND-003"], {
    mayAlsoFail: ["ERR-001"],
    needs: ["key:exhausted"],
  }),
  inExam("spend/cap-type-missing", "Quota refusals lack cap_type", ["SPEND-006", "spend.cap-type-missing"], {
    mayAlsoFail: ["spend.refusal-shape"],
  }),
  inExam("spend/never-charged", "Requests are reported but never charged to a cap", ["SPEND-001", "spend.admitted-at-cap"], {
    mayAlsoFail: capRows,
    origin: "one-api#2440",
  }),
  inExam("spend/costs-cut-to-cents", "A cap counts each cost in whole cents, cut down", ["spend.sum-unlike-report"], {
    mayAlsoFail: ["KEY-011", "SPEND-022"],
  }),
  inExam("spend/costs-rounded-up", "A cap counts each cost in whole cents, rounded up", ["spend.sum-unlike-report"], {
    mayAlsoFail: ["KEY-011", "SPEND-022"],
  }),
  inExam("spend/streams-uncounted", "Streams are reported but not counted toward a cap", ["spend.sum-unlike-report"], {
    mayAlsoFail: ["KEY-011", "SPEND-022"],
  }),
  inExam("spend/streams-counted-twice", "Streams count twice toward a cap", ["spend.sum-unlike-report"], {
    mayAlsoFail: ["KEY-011", "SPEND-022"],
  }),
  inExam("spend/embeddings-uncounted", "Embeddings are reported but not counted toward a cap", ["spend.sum-unlike-report"], {
    mayAlsoFail: ["KEY-011", "SPEND-022"],
  }),
  inExam("spend/charged-late", "A charge is seen by the cap after 4 s", ["spend.admitted-at-cap"], {
    mayAlsoFail: ["KEY-011", "KEY-012", "SPEND-001", "SPEND-002", "SPEND-009", "SPEND-012", "spend.overshoot"],
    origin: "new-api#6609",
  }),
  inExam("spend/check-then-charge", "The cap is checked before and charged after the work", ["spend.overshoot"], {
    mayAlsoFail: ["spend.admitted-at-cap", "SPEND-012"],
    origin: "CliRelay#1045",
  }),
  inExam("spend/streams-exempt", "Streams pass a reached cap", ["SPEND-009", "spend.endpoint-exempt"], {
    mayAlsoFail: ["SPEND-001", "spend.admitted-at-cap", "spend.overshoot", "spend.account-cap-ignored"],
  }),
  inExam("spend/embeddings-exempt", "Embeddings pass a reached cap", ["SPEND-009", "spend.endpoint-exempt"], {
    mayAlsoFail: ["SPEND-001", "spend.admitted-at-cap", "spend.overshoot", "spend.account-cap-ignored"],
  }),
  inExam("spend/images-exempt", "Images pass a reached cap", ["SPEND-001", "spend.admitted-at-cap"], { mayAlsoFail: capRows }),
  inExam("spend/transcriptions-exempt", "Transcriptions pass a reached cap", ["SPEND-009", "spend.endpoint-exempt"], {
    mayAlsoFail: ["SPEND-001", "spend.admitted-at-cap", "spend.overshoot", "spend.account-cap-ignored"],
  }),
];
