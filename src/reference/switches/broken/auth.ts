import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

const readOnly = ["key:readOnly"] as const;

/** Rows that look at 401 itself, whatever the mistake in the credentials. */
const unauthorized = ["AUTH-026", "ERR-013"] as const;

/** Rows that ask single endpoints for a 401. */
const ofSingleEndpoints = ["AUTH-028", "AUTH-032", "KEY-022", "ACC-006", "STRM-011", "PATH-005"] as const;

/** Rows that ask for a 401. */
const badCredentials = [
  "AUTH-003",
  "AUTH-004",
  "AUTH-005",
  "AUTH-006",
  "AUTH-008",
  "AUTH-009",
  "AUTH-013",
  "AUTH-014",
  "AUTH-022",
  "AUTH-026",
  ...ofSingleEndpoints,
] as const;

export const authMutants: readonly Mutant[] = [
  mutant("auth/not-required", "Requests without credentials are served", ["AUTH-002", "SVC-010"], {
    mayAlsoFail: [...ofSingleEndpoints, "PATH-008", "AUTH-009", "AUTH-011", ...unauthorized],
  }),
  mutant("auth/models-public", "Models are listed without credentials", ["AUTH-002", "SVC-010"], {
    mayAlsoFail: ["AUTH-032", "AUTH-009", ...unauthorized],
    origin: "llama.cpp and vLLM leave some routes unguarded",
  }),
  mutant("auth/encoded-path-open", "A path with percent-encoded characters is served without credentials", ["AUTH-039"], {
    origin: "guards in front of a router that decodes paths",
  }),
  mutant("auth/other-prefix-open", "The guard looks at paths that begin with /v1/ alone", ["AUTH-039"], {
    origin: "middleware that is mounted at a prefix",
  }),
  mutant("auth/usage-public", "The usage report is shown without credentials", ["AUTH-002", "SVC-010"], {
    mayAlsoFail: ["AUTH-028", "AUTH-032", "AUTH-009", ...unauthorized],
  }),
  mutant("auth/workspaces-public", "Workspaces are listed without credentials", ["PATH-005"], { mayAlsoFail: unauthorized }),
  mutant("auth/agents-public", "Agents are created without credentials", ["PATH-007"], { mayAlsoFail: unauthorized }),
  mutant("auth/verify-public", "/v1/verify succeeds without credentials", ["PATH-008"], { mayAlsoFail: unauthorized }),
  mutant("auth/settings-public", "Settings are changed without credentials", ["KEY-022", "ACC-006"], {
    mayAlsoFail: ["AUTH-002", "SVC-010", "AUTH-028", "AUTH-032", ...unauthorized],
  }),
  mutant("auth/bare-key", "A key without the word Bearer is accepted", ["AUTH-003"], {
    mayAlsoFail: ["AUTH-004", "AUTH-005", ...unauthorized],
    origin: "llama.cpp server; one-api and new-api (TrimPrefix)",
  }),
  mutant("auth/space-optional", "Bearer and key may be written as one word", ["AUTH-004"], { mayAlsoFail: unauthorized }),
  mutant("auth/any-scheme", "Basic and Token credentials are accepted", ["AUTH-005"], { mayAlsoFail: unauthorized }),
  mutant("auth/basic-pair", "A key as the user name of Basic credentials is accepted", ["AUTH-005"], {
    mayAlsoFail: unauthorized,
  }),
  mutant("auth/key-in-api-key-field", "A key in the field api-key is accepted", ["AUTH-009"], {
    mayAlsoFail: ["SVC-010", ...unauthorized],
    origin: "hosted peers with keys of two kinds",
  }),
  mutant("auth/key-in-cookie", "A key in a cookie is accepted", ["AUTH-009"], {
    mayAlsoFail: ["SVC-010", ...unauthorized],
  }),
  mutant("auth/empty-token", "An empty token is accepted", ["AUTH-006"], { mayAlsoFail: unauthorized }),
  mutant("auth/any-token", "Any token is accepted", ["AUTH-007", "AUTH-008"], {
    mayAlsoFail: ["AUTH-028", "AUTH-013", "AUTH-014", "AUTH-022", ...unauthorized],
  }),
  mutant("auth/key-prefix-compared", "Only the first 16 characters of a key are compared", ["AUTH-008"], {
    mayAlsoFail: ["AUTH-028", "AUTH-013", "AUTH-014", "AUTH-022", ...unauthorized],
  }),
  mutant("auth/key-case-insensitive", "Keys are compared without regard to case", ["AUTH-008"], {
    mayAlsoFail: unauthorized,
    origin: "text-generation-inference router (the whole header is lower-cased)",
  }),
  mutant("auth/text-behind-key-ignored", "A key is read up to the first space, comma or semicolon", ["AUTH-008"], {
    mayAlsoFail: unauthorized,
  }),
  mutant("auth/field-name-case-sensitive", "The Authorization field is only found in its usual spellings", ["AUTH-011"], {
    mayAlsoFail: ["MOD-001", ...unauthorized],
  }),
  mutant("auth/once-per-connection", "Credentials are asked once per connection", ["AUTH-032"], {
    mayAlsoFail: ["AUTH-002", "SVC-010", "KEY-022", "ACC-006", "STRM-011", "PATH-005", "AUTH-009", ...unauthorized],
  }),
  mutant("auth/request-read-first", "A request is validated before its key is looked at", ["AUTH-028"], {
    mayAlsoFail: ["AUTH-022"],
  }),
  mutant(
    "auth/standing-before-key",
    "Whether an account has to pay is looked at before the whole key is compared",
    ["AUTH-028"],
    { needs: ["key:pastDue"] },
  ),
  mutant("auth/cap-before-key", "A cap is looked at before the whole key is compared", ["AUTH-028"], {
    needs: ["key:exhausted"],
  }),
  mutant("auth/streams-closed", "Valid keys are refused where a stream is asked for", ["AUTH-001"], {
    mayAlsoFail: [
      "AUTH-036",
      "CHAT-010",
      "STRM-001",
      "STRM-003",
      "STRM-010",
      "STRM-017",
      "ERR-014",
      "ERR-015",
      "ERR-016",
      "SPEND-001",
      "SPEND-009",
    ],
  }),
  mutant("auth/expired-accepted", "Expired keys are served", ["AUTH-013"], {
    mayAlsoFail: ["AUTH-028", ...unauthorized],
    needs: ["key:expired"],
  }),
  mutant("auth/revoked-accepted", "Revoked keys are served", ["AUTH-014"], {
    mayAlsoFail: ["AUTH-028", ...unauthorized],
    needs: ["key:revoked"],
    origin: "caches of keys in gateways",
  }),
  mutant("auth/rotated-accepted", "Keys that were rotated away are served", ["AUTH-022"], {
    mayAlsoFail: unauthorized,
    needs: ["key:rotated", "strict"],
  }),
  mutant("auth/rotated-reads", "Keys that were rotated away still list models and read usage", ["AUTH-038"], {
    mayAlsoFail: ["AUTH-022", ...unauthorized],
    needs: ["key:rotated"],
  }),
  mutant("auth/new-key-never-works", "A new key is refused for ever", ["AUTH-024"], { needs: ["key:fresh", "clock:manual"] }),
  mutant("auth/key-echoed", "/v1/verify shows the key", ["AUTH-031"]),
  mutant("auth/keys-creatable", "POST /v1/keys creates a key", ["AUTH-025"], { needs: ["permission:createKeyProbe"] }),
  mutant("auth/401-as-403", "Bad credentials are answered 403", ["AUTH-002", "AUTH-007", "AUTH-026", "ERR-013"], {
    mayAlsoFail: badCredentials,
  }),
  mutant("auth/401-as-400", "Bad credentials are answered 400", ["AUTH-002", "AUTH-007", "ERR-013"], {
    mayAlsoFail: badCredentials,
  }),
  mutant("auth/403-as-401", "A missing scope is answered 401", ["AUTH-015", "AUTH-016", "ERR-017"], {
    mayAlsoFail: ["AUTH-029", "AUTH-026", "PATH-001", "KEY-023", "ACC-007"],
    needs: readOnly,
  }),
  mutant("auth/403-as-404", "A missing scope is answered 404", ["AUTH-015", "AUTH-016", "ERR-017"], {
    mayAlsoFail: ["AUTH-026", "PATH-001", "KEY-023", "ACC-007"],
    needs: readOnly,
  }),
  mutant("auth/402-as-403", "A past due subscription is answered 403", ["ERR-014", "ERR-016"], {
    mayAlsoFail: ["ERR-015", "SPEND-021", "AUTH-026"],
    needs: ["key:pastDue"],
  }),
  mutant("auth/402-as-429", "A past due subscription is answered 429", ["RATE-021"], {
    mayAlsoFail: ["ERR-014", "ERR-015", "ERR-016", "ERR-038", "RATE-020", "SPEND-015", "SPEND-021"],
    needs: ["key:pastDue"],
  }),
  mutant("auth/402-as-quota", "Used-up credit looks like a reached cap", ["SPEND-021"], {
    mayAlsoFail: ["ERR-014", "ERR-015", "ERR-016", "SPEND-015", "SPEND-005"],
    needs: ["key:noCredit", "key:exhausted"],
  }),
  mutant("auth/past-due-served", "A past due subscription is served", ["ERR-014", "ERR-016"], { needs: ["key:pastDue"] }),
  mutant("auth/no-credit-served", "An account without credit is served", ["ERR-015"], {
    mayAlsoFail: ["ERR-016", "SPEND-021"],
    needs: ["key:noCredit"],
  }),
  mutant("auth/payment-only-for-chat", "Only chat asks whether the account may buy", ["ERR-016"], {
    mayAlsoFail: ["ERR-014", "ERR-015", "SPEND-021"],
    needs: ["key:pastDue"],
  }),
  mutant("auth/scope-ignored", "Scopes are not checked", ["AUTH-015", "AUTH-016", "KEY-023", "ACC-007", "PATH-001", "ERR-017"], {
    mayAlsoFail: ["AUTH-026"],
    needs: readOnly,
  }),
  mutant("auth/scope-ignored-on-settings", "Settings may be changed with a read-only key", ["KEY-023", "ACC-007", "AUTH-016"], {
    mayAlsoFail: ["AUTH-015", "AUTH-026", "ERR-017"],
    needs: readOnly,
  }),
  mutant("auth/scope-ignored-on-agents", "Agents may be created with a read-only key", ["PATH-001"], {
    mayAlsoFail: ["AUTH-015", "AUTH-016", "AUTH-026", "ERR-017"],
    needs: readOnly,
  }),
  mutant("auth/agent-write-refused", "The scope agent:write does not suffice for agents", ["PATH-003"], {
    needs: ["key:agentWrite"],
  }),
  mutant("auth/admin-refused-on-agents", "The scope admin does not suffice for agents", ["PATH-004"], { needs: ["key:admin"] }),
];
