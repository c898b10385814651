import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

const presence = ["RATE-001", "RATE-002", "RATE-003", "RATE-004", "RATE-005", "RATE-006"] as const;

export const headerVariants: readonly Variant[] = [
  variant(
    "headers/names-upper-case",
    "Header names are written in capitals",
    "Field names are case-insensitive (RFC 9110, 5.1).",
    { excludes: ["headers/names-title-case"] },
  ),
  variant(
    "headers/names-title-case",
    "Header names are written like X-Ratelimit-Limit-Requests",
    "Field names are case-insensitive (RFC 9110, 5.1).",
  ),
  variant("headers/missing-on-401", "401 carries no rate headers", "No key, no allowance (AMB-10).", {
    changes: [...presence, "RATE-037", "SVC-011"],
  }),
  variant(
    "headers/missing-on-unknown-routes",
    "Unknown routes carry no rate headers",
    "There is no endpoint to limit (AMB-10).",
    { changes: [...presence, "SVC-011"] },
  ),
  variant("headers/json-charset", "application/json carries charset=utf-8", "Parameters of a media type are allowed (AMB-27)."),
  variant(
    "headers/ietf-fields",
    "RateLimit and RateLimit-Policy of the IETF draft say the same as the six fields",
    "Further fields are allowed; both say the same.",
    { excludes: ["headers/ietf-of-a-consumer"] },
  ),
  variant(
    "headers/ietf-of-a-consumer",
    "RateLimit shows five requests more than x-ratelimit-remaining-requests, of a limit of the same size",
    "A gateway may grant a consumer as much as the service grants a key and endpoint: these are two allowances.",
    { changes: ["RATE-043"] },
  ),
  variant("headers/clock-ahead", "Date runs 90 s ahead of the windows", "The accuracy of Date is not stated.", {
    changes: ["ERR-032", "RATE-010", "RATE-011", "RATE-023", "RATE-030"],
    excludes: ["headers/clock-behind"],
  }),
  variant("headers/clock-behind", "Date runs 90 s behind the windows", "The accuracy of Date is not stated.", {
    changes: ["ERR-032", "RATE-010", "RATE-011", "RATE-023", "RATE-030"],
  }),
  variant("headers/limit-varies", "The limit differs from response to response", "Only a SHOULD asks for a constant.", {
    changes: ["RATE-012", "RATE-008", "RATE-009"],
  }),
];
