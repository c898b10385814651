import type { Mutant } from "../switch.ts";
import { mutant, mutantNeeding } from "../switch-builders.ts";

const changing = mutantNeeding("permission:patchSettings", "key:admin");

/** Rows that need settings to be changed at all. */
const everySetting = [
  "ACC-001",
  "ACC-004",
  "BURST-001",
  "BURST-002",
  "BURST-003",
  "BURST-004",
  "BURST-012",
  "BURST-019",
  "KEY-001",
  "KEY-002",
  "KEY-003",
  "KEY-004",
  "KEY-012",
  "KEY-013",
  "KEY-014",
  "KEY-025",
] as const;

/** Rows whose windows are asked for in the same way. */
const usageRequests = [
  "SVC-008",
  "USG-001",
  "USG-004",
  "USG-008",
  "USG-009",
  "USG-010",
  "USG-011",
  "USG-033",
  "ERR-006",
] as const;

/** Defects of settings and usage that show in what the routes read and write, not in what the engine does. */
export const settingsSurfaceMutants: readonly Mutant[] = [
  changing("settings/not-implemented", "Settings cannot be changed", ["SVC-009"], {
    mayAlsoFail: [...everySetting, "KEY-023", "ACC-007", "AUTH-015", "AUTH-016", "KEY-016", "ERR-018"],
  }),
  changing("settings/spend-cap-refused", "monthly_spend_cap is refused", ["KEY-001"], { mayAlsoFail: ["KEY-004", "KEY-025"] }),
  changing("settings/burst-limit-refused", "burst_limit is refused", ["KEY-002"], { mayAlsoFail: everySetting }),
  changing("settings/cooldown-refused", "cooldown_seconds is refused", ["KEY-003"], { mayAlsoFail: everySetting }),
  changing("settings/one-at-a-time", "Only one setting can be changed at a time", ["KEY-004"], { mayAlsoFail: ["KEY-012"] }),
  changing("settings/account-cap-refused", "account_spend_cap is refused", ["ACC-001"], { mayAlsoFail: ["SVC-009"] }),
  changing("settings/non-object-accepted", "A body that is no object changes nothing and succeeds", ["KEY-028", "ACC-012"], {
    mayAlsoFail: ["ERR-020", "ERR-023", "ERR-024"],
  }),
  changing("settings/malformed-json-accepted", "Malformed JSON changes nothing and succeeds", ["KEY-019", "ACC-008"], {
    mayAlsoFail: ["ERR-020", "ERR-024"],
  }),
  changing("settings/refused-carried-out", "A change with a value of a wrong type is refused and carried out", ["KEY-029"], {
    mayAlsoFail: ["KEY-012", "KEY-013"],
  }),
  changing("settings/foreign-id-403", "Ids of other workspaces are answered 403", ["KEY-017"], {
    mayAlsoFail: ["KEY-018", "ERR-019", "AUTH-026"],
    needs: ["foreign-key-id"],
  }),
  changing("settings/last-key-alone", "The settings of a key end when those of another one are changed", ["KEY-030"], {
    needs: ["key:secondary"],
  }),
  changing(
    "settings/foreign-validated-first",
    "An invalid change of a foreign key is answered 422, that of an unknown one 404",
    ["KEY-018", "ERR-019"],
    { needs: ["foreign-key-id"] },
  ),
  changing("settings/foreign-id-revealed", "404 reveals that an id belongs to another workspace", ["KEY-018", "ERR-019"], {
    needs: ["foreign-key-id"],
  }),
  mutant("usage/not-implemented", "There is no usage report", ["SVC-008"], {
    mayAlsoFail: ["USG-001", "USG-004", "USG-008", "USG-009", "USG-010", "USG-011", "USG-033", "ERR-006"],
    origin: "vLLM, Ollama, llama.cpp",
  }),
  mutant("usage/hour-refused", "granularity hour is refused", ["USG-008"], { mayAlsoFail: ["USG-012"] }),
  mutant("usage/day-refused", "granularity day is refused", ["USG-009"], { mayAlsoFail: ["USG-011", "USG-012"] }),
  mutant("usage/month-refused", "granularity month is refused", ["USG-010"]),
  mutant("usage/z-refused", "Instants have to carry a numeric offset", ["USG-004"], { mayAlsoFail: usageRequests }),
  mutant("usage/granularity-required", "granularity is mandatory", ["USG-001"], { mayAlsoFail: usageRequests }),
  mutant("usage/kinds-exchanged", "Prompt and completion tokens are exchanged in the report", ["USG-046"], {
    mayAlsoFail: ["USG-041"],
  }),
  mutant("usage/kinds-exchanged-by-hour", "Prompt and completion tokens are exchanged in reports by hour", ["USG-045"], {
    mayAlsoFail: ["USG-031", "USG-041", "USG-046"],
  }),
  mutant("usage/kinds-exchanged-by-month", "Prompt and completion tokens are exchanged in reports by month", ["USG-045"]),
  mutant(
    "usage/kinds-exchanged-for-other-key",
    "Prompt and completion tokens are exchanged where another key asks than before",
    ["USG-045"],
    { mayAlsoFail: ["USG-031", "USG-041", "USG-046"], needs: ["key:secondary"] },
  ),
  mutant("usage/all-tokens-of-prompts", "All tokens are entered as prompt tokens", ["USG-046"], { mayAlsoFail: ["USG-041"] }),
  mutant("usage/cost-by-hour-half", "Reports by hour show half of the cost", ["USG-045"], {
    mayAlsoFail: ["USG-031", "KEY-011", "ACC-005", "SPEND-022"],
  }),
  mutant("usage/object-wrong", "object is usage", ["USG-014"], { mayAlsoFail: ["USG-001"] }),
  mutant("usage/named-buckets", "The list is called buckets", ["USG-015"], {
    mayAlsoFail: ["USG-001", "USG-028", "USG-029", "USG-032", "USG-033", "USG-011"],
  }),
  mutant("usage/aggregate-absent", "The report has no aggregate", ["USG-025"], {
    mayAlsoFail: ["USG-001", "USG-026", "USG-027", "USG-032", "USG-033"],
  }),
  mutant("usage/aggregate-tokens-text", "aggregate.total_tokens is a text", ["USG-026"], {
    mayAlsoFail: ["USG-001", "USG-028", "USG-032", "USG-033"],
  }),
  mutant("usage/aggregate-cost-text", "aggregate.total_cost_usd is a text", ["USG-027"], {
    mayAlsoFail: ["USG-001", "USG-029", "USG-045"],
  }),
  mutant("usage/prompt-tokens-text", "prompt_tokens of a bucket is a text", ["USG-020"], { mayAlsoFail: ["USG-001"] }),
  mutant("usage/completion-tokens-null", "completion_tokens of a bucket is null", ["USG-021"], { mayAlsoFail: ["USG-001"] }),
  mutant("usage/total-tokens-negative", "total_tokens of a bucket is negative", ["USG-022"], {
    mayAlsoFail: ["USG-001", "USG-028", "USG-041", "USG-042"],
  }),
  mutant("usage/granularity-unchecked", "Unknown granularities become day", ["USG-012"], { mayAlsoFail: ["ERR-022", "ERR-024"] }),
  mutant("usage/dates-unchecked", "Absent and unreadable instants become the last day", ["USG-002", "USG-003", "USG-007"], {
    mayAlsoFail: ["ERR-006", "ERR-021", "ERR-022", "ERR-024"],
  }),
];
