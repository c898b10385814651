import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

const whole = ["MOD-001", "SVC-007"] as const;

export const modelsMutants: readonly Mutant[] = [
  mutant("models/repeated", "A model is listed twice", ["MOD-008"]),
  mutant("models/created-drifts", "A model is created anew with each list", ["MOD-012"]),
  mutant("models/owner-alternates", "The owner of a model changes from list to list", ["MOD-012"]),
  mutant("models/none", "No model is listed", ["MOD-011"], {
    mayAlsoFail: ["CMPL-007", "MOD-004", "MOD-005", "MOD-006", "MOD-007", "MOD-009"],
  }),
  mutant("models/crashes", "Listing models is answered 500", ["SVC-007"], {
    mayAlsoFail: ["MOD-001", "SVC-014", "SVC-021", "AUTH-001", "AUTH-011", "AUTH-032"],
    origin: "Portkey gateway 1.15.2 with today's dependencies",
  }),
  mutant("models/bare-array", "The list is a bare array", ["MOD-001"], { mayAlsoFail: ["MOD-002", "MOD-003", ...whole] }),
  mutant("models/object-wrong", "object is models", ["MOD-002"], { mayAlsoFail: whole }),
  mutant("models/object-absent", "object is left out", ["MOD-002"], { mayAlsoFail: whole, origin: "several gateways" }),
  mutant("models/named-models", "The list is called models", ["MOD-003"], {
    mayAlsoFail: [...whole, "MOD-004"],
    origin: "Ollama's own API",
  }),
  mutant("models/data-map", "data is an object by id", ["MOD-003"], { mayAlsoFail: whole }),
  mutant("models/id-absent", "Models have names in place of ids", ["MOD-004"], { mayAlsoFail: whole }),
  mutant("models/id-empty", "Ids are empty", ["MOD-004"], { mayAlsoFail: [...whole, "MOD-012"] }),
  mutant("models/entry-object-wrong", "data[].object is engine", ["MOD-005"], { mayAlsoFail: whole }),
  mutant("models/created-ms", "created is in milliseconds", ["MOD-006"], { mayAlsoFail: whole }),
  mutant("models/created-iso", "created is an ISO 8601 text", ["MOD-006"], { mayAlsoFail: whole }),
  mutant("models/created-zero", "created is 0", ["MOD-006"], { mayAlsoFail: whole, origin: "gateways that do not know it" }),
  mutant("models/owner-absent", "owned_by is left out", ["MOD-007"], { mayAlsoFail: whole }),
  mutant("models/owner-null", "owned_by is null", ["MOD-007"], { mayAlsoFail: whole }),
];
