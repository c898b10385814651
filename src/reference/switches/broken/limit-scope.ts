import type { Mutant } from "../switch.ts";
import { countRows } from "../lawful/limits.ts";
import { inExam, mutant } from "../switch-builders.ts";

/** Shown by a short drain of the endpoint, which costs money. */
const exempt = {
  mayAlsoFail: ["RATE-013", "RATE-016", "RATE-018", "RATE-019", "STRM-012", ...countRows],
  needs: ["permission:spendUpToCents"],
} as const;

/** Mutants of the scope that a request limit counts, and of the form of its refusals. */
export const limitScopeMutants: readonly Mutant[] = [
  mutant("limits/limit-flaps", "The limit changes every half second", ["limits.limit-changed"], {
    mayAlsoFail: [
      "RATE-025",
      "RATE-026",
      "limits.keys-share-counter",
      "limits.endpoints-share-counter",
      "RATE-012",
      "RATE-013",
      "RATE-017",
      "RATE-023",
      "RATE-027",
      "RATE-028",
      "RATE-039",
      "limits.remaining-not-granted",
      "limits.retry-after-too-long",
      "limits.under-admission",
    ],
  }),
  mutant("limits/wrong-plan-limit", "The plan's limit is half as high again", ["RATE-027", "RATE-028"], {
    mayAlsoFail: ["limits.limit-differs-from-plan", "limits.limit-changed"],
  }),
  inExam("limits/shared-by-keys", "One counter for all keys", ["RATE-025", "limits.keys-share-counter"], {
    mayAlsoFail: ["RATE-013", "RATE-018", "RATE-039", "BURST-012", "KEY-013", "limits.under-admission", "limits.limit-changed"],
    origin: "tessera#185",
  }),
  inExam("limits/shared-by-endpoints", "One counter for all endpoints", ["RATE-026", "limits.endpoints-share-counter"], {
    mayAlsoFail: ["RATE-013", "limits.under-admission"],
    origin: "gafaelfawr#1321",
  }),
  inExam("limits/path-variant-bypass", "Counts by the URL as sent: a query string opens a new window", ["limits.path-bypass"], {
    mayAlsoFail: ["RATE-018", "RATE-016"],
  }),
  inExam("limits/counts-by-forwarded-address", "Another X-Forwarded-For opens a new window", ["limits.identity-bypass"], {
    mayAlsoFail: ["RATE-018", "RATE-016"],
    origin: "fastapi-limiter#10",
  }),
  inExam("limits/counts-by-user-agent", "Another User-Agent opens a new window", ["limits.identity-bypass"], {
    mayAlsoFail: ["RATE-018", "RATE-016"],
  }),
  inExam(
    "limits/counts-by-credential-as-sent",
    "Another spelling of one credential opens a new window",
    ["limits.identity-bypass"],
    {
      mayAlsoFail: ["RATE-018", "RATE-016"],
    },
  ),
  inExam("limits/streams-exempt", "Streams are neither counted nor refused", ["limits.over-admission"], exempt),
  inExam("limits/embeddings-exempt", "Embeddings are neither counted nor refused", ["limits.over-admission"], exempt),
  inExam("limits/uploads-exempt", "Uploads are neither counted nor refused", ["limits.over-admission"], exempt),
  inExam("limits/status-503", "Refuses with 503", ["RATE-019", "limits.refusal-of-another-kind"], {
    mayAlsoFail: [
      "RATE-016",
      "RATE-032",
      "BURST-005",
      "ERR-025",
      "ERR-031",
      "ERR-032",
      "ERR-038",
      "KEY-014",
      "SVC-021",
      "limits.over-admission",
    ],
    origin: "nginx limit_req default",
  }),
  inExam("limits/quota-error-shape", "Request limits answer with the quota shape", ["SPEND-015", "RATE-021"], {
    mayAlsoFail: ["RATE-020", "ERR-001", "ERR-038", "limits.retry-after-form"],
  }),
];
