import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const errorVariants: readonly Variant[] = [
  variant("errors/503-retry-after-date", "Retry-After of a 503 is an HTTP-date", "RFC 9110 allows both forms (AMB-36)."),
  variant("errors/details-other-names", "Entries of details have members loc and msg", "Their names are not shown (AMB-39)."),
  variant(
    "errors/details-null-elsewhere",
    "Errors without failing fields carry details: null",
    "Other members of error are not stated (AMB-07).",
  ),
  variant("errors/media-type-ignored", "Any content type is read as JSON", "Other media types are not mentioned (AMB-26).", {
    changes: ["REQ-003"],
  }),
  variant("errors/405-for-methods", "A method that is not supported is answered 405", "The status is not stated (AMB-26).", {
    changes: ["SVC-018", "ERR-034"],
  }),
  variant("errors/415-for-media-types", "Another media type is answered 415", "The status is not stated (AMB-26).", {
    changes: ["REQ-003", "ERR-034"],
  }),
  variant(
    "errors/details-empty-for-malformed-json",
    "details is empty where the body is no JSON",
    "There is no field to name (AMB-39).",
  ),
  variant("errors/unknown-model-422", "An unknown model is answered 422", "Every 4xx is accepted (AMB-06)."),
  variant("errors/code-number", "error.code is a number", "Its type is not stated (AMB-07).", { changes: ["ERR-002"] }),
  variant("errors/stack-trace", "Errors carry a stack trace", "Only a SHOULD forbids it.", { changes: ["ERR-036"] }),
  variant("errors/code-unstable", "error.code differs from one occurrence to the next", "Only a SHOULD asks for the same.", {
    changes: ["ERR-003"],
  }),
  variant(
    "errors/other-json-400",
    "A body that is JSON but no object is answered 400",
    "It is well-formed and nothing is missing from it; wrong types are not named as failures (AMB-05).",
    { changes: ["CHAT-042", "EMB-034", "IMG-029", "ERR-034"] },
  ),
  variant("errors/503-retry-after-long", "Retry-After of a 503 is an hour", "30 to 120 s are called typical.", {
    changes: ["ERR-032"],
  }),
];
