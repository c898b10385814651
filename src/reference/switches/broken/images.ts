import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

const whole = ["IMG-028", "IMG-001", "IMG-006", "SVC-005"] as const;

const fetches = ["permission:fetchImages"] as const;

export const imagesMutants: readonly Mutant[] = [
  mutant("images/size-ignored", "Every picture is small", ["IMG-024"], { mayAlsoFail: ["IMG-012"], needs: fetches }),
  mutant("images/url-dead", "Addresses lead nowhere", ["IMG-023"], { mayAlsoFail: ["IMG-012", "IMG-024"], needs: fetches }),
  mutant("images/file-is-html", "Addresses lead to a page", ["IMG-023"], { mayAlsoFail: ["IMG-012", "IMG-024"], needs: fetches }),
  mutant("images/one-address", "All images of an answer have the address of the first", ["IMG-030"]),
  mutant("images/not-implemented", "There are no images", ["SVC-005"], {
    mayAlsoFail: [...whole, "SPEND-009", "ERR-006", "IMG-005", "IMG-009", "IMG-010", "IMG-011", "IMG-015", "IMG-016", "REQ-001"],
    origin: "vLLM, llama.cpp",
  }),
  mutant("images/wrapped-in-array", "The result is wrapped in an array", ["IMG-028"], { mayAlsoFail: whole }),
  mutant("images/non-object-accepted", "A body that is no object is taken for a prompt", ["IMG-029"], {
    mayAlsoFail: ["ERR-020", "ERR-024"],
  }),
  mutant("images/model-required", "A model has to be named", ["SVC-005", "IMG-001"], {
    mayAlsoFail: [...whole, "SPEND-009", "IMG-005", "IMG-009", "IMG-010", "IMG-011", "IMG-015", "IMG-016", "REQ-001"],
    origin: "compatible gateways that route by model",
  }),
  mutant("images/prompt-optional", "A missing prompt is replaced", ["IMG-002"], {
    mayAlsoFail: ["ERR-021", "ERR-024", "ERR-006", "IMG-003"],
  }),
  mutant("images/n-refused", "n is refused", ["IMG-005"], { mayAlsoFail: ["IMG-007"] }),
  mutant("images/n-ignored", "n has no effect", ["IMG-005"]),
  mutant("images/one-too-many", "One picture more than n is made", ["IMG-005"]),
  mutant("images/two-by-default", "Without n two pictures are made", ["IMG-006"]),
  mutant("images/square-refused", "1024x1024 is refused", ["IMG-009"], { mayAlsoFail: ["IMG-013"] }),
  mutant("images/wide-refused", "1792x1024 is refused", ["IMG-010"]),
  mutant("images/tall-refused", "1024x1792 is refused", ["IMG-011"]),
  mutant("images/default-size-wrong", "Without size pictures are wide", ["IMG-012"], { needs: fetches }),
  mutant("images/size-unchecked", "Any size is accepted", ["IMG-013"], { mayAlsoFail: ["ERR-022", "ERR-024", "ERR-006"] }),
  mutant("images/standard-refused", "quality standard is refused", ["IMG-015"], { mayAlsoFail: ["IMG-018"] }),
  mutant("images/hd-refused", "quality hd is refused", ["IMG-016"]),
  mutant("images/quality-unchecked", "Any quality is accepted", ["IMG-018"], { mayAlsoFail: ["ERR-022", "ERR-024", "ERR-006"] }),
  mutant("images/created-absent", "created is left out", ["IMG-020"], { mayAlsoFail: whole }),
  mutant("images/created-ms", "created is in milliseconds", ["IMG-020"], { mayAlsoFail: whole }),
  mutant("images/created-text", "created is a text", ["IMG-020"], { mayAlsoFail: whole }),
  mutant("images/data-object", "data is an object", ["IMG-021"], { mayAlsoFail: [...whole, "IMG-005"] }),
  mutant("images/named-images", "The list is called images", ["IMG-021"], {
    mayAlsoFail: [...whole, "SPEND-009", "IMG-005", "IMG-009", "IMG-010", "IMG-011"],
  }),
  mutant("images/url-absent", "Pictures have no address", ["IMG-022"], { mayAlsoFail: [...whole, "IMG-012"] }),
  mutant("images/url-null", "The address is null", ["IMG-022"], { mayAlsoFail: [...whole, "IMG-012"] }),
  mutant("images/url-relative", "The address is relative", ["IMG-022"], { mayAlsoFail: [...whole, "IMG-012"] }),
  mutant("images/base64-for-url", "Pictures are embedded as b64_json", ["IMG-022"], {
    mayAlsoFail: [...whole, "IMG-012"],
    origin: "LocalAI and others, response_format b64_json",
  }),
  mutant("images/revised-prompt-absent", "revised_prompt is left out", ["IMG-025"], { mayAlsoFail: whole }),
  mutant("images/revised-prompt-null", "revised_prompt is null", ["IMG-025"], { mayAlsoFail: whole }),
  mutant("images/several-in-hd-refused", "Several images in hd are refused", ["IMG-031"]),
  mutant("images/second-in-default-size", "From the second image on the size is the default one", ["IMG-024"], {
    needs: fetches,
  }),
];
