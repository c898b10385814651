import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

/** Fails with any member of the list. */
const whole = ["EMB-033", "EMB-001", "EMB-002", "SVC-004"] as const;

export const embeddingsMutants: readonly Mutant[] = [
  mutant("embeddings/not-implemented", "There are no embeddings", ["SVC-004"], {
    mayAlsoFail: [...whole, "EMB-011", "EMB-012", "EMB-013", "EMB-018", "ERR-006", "REQ-001", "SPEND-009"],
    origin: "llama.cpp without --embeddings",
  }),
  mutant("embeddings/first-text-counted", "Only the first text of a list is counted as its prompt", ["EMB-042"], {
    mayAlsoFail: ["USG-032", "USG-046"],
  }),
  mutant("embeddings/equal-texts-differ", "The second of two equal texts of a batch gets another vector", ["EMB-037"], {
    mayAlsoFail: ["EMB-031"],
  }),
  mutant("embeddings/usage-of-base64", "Twice the tokens are stated where vectors are in base64", ["EMB-038"], {
    mayAlsoFail: ["USG-032", "USG-046"],
  }),
  mutant("embeddings/wrapped-in-array", "The list is wrapped in an array", ["EMB-033"], { mayAlsoFail: whole }),
  mutant("embeddings/non-object-accepted", "A body that is no object is taken for a text", ["EMB-034"], {
    mayAlsoFail: ["ERR-020", "ERR-024"],
  }),
  mutant("embeddings/string-refused", "A single text is refused", ["EMB-001"], {
    mayAlsoFail: ["SVC-004", "EMB-011", "EMB-012", "EMB-013", "EMB-018", "ERR-006", "REQ-001", "SPEND-009"],
  }),
  mutant("embeddings/array-refused", "Arrays of texts are refused", ["EMB-002"], {
    mayAlsoFail: ["EMB-003", "EMB-006", "EMB-013", "EMB-031"],
  }),
  mutant("embeddings/float-refused", "encoding_format float is refused", ["EMB-011"], { mayAlsoFail: ["EMB-016", "EMB-015"] }),
  mutant("embeddings/base64-refused", "encoding_format base64 is refused", ["EMB-013"], {
    // If lists are sent in base64 only, a refusal of either looks the same.
    mayAlsoFail: ["EMB-002"],
  }),
  mutant("embeddings/base64-by-default", "Without encoding_format vectors are base64", ["EMB-012"], {
    mayAlsoFail: [...whole, "EMB-026", "EMB-018", "EMB-003"],
  }),
  mutant("embeddings/encoding-unchecked", "Any encoding_format is accepted", ["EMB-016"], {
    mayAlsoFail: ["ERR-022", "ERR-024", "ERR-006"],
  }),
  mutant("embeddings/input-optional", "A missing input is replaced", ["EMB-004"], {
    mayAlsoFail: ["ERR-021", "ERR-024", "ERR-006", "EMB-005"],
  }),
  mutant("embeddings/model-optional", "A missing model is replaced", ["EMB-008"], {
    mayAlsoFail: ["ERR-021", "ERR-024", "ERR-006", "EMB-009"],
  }),
  mutant("embeddings/dimensions-ignored", "dimensions has no effect", ["EMB-018"], {
    needs: ["feature:dimensions"],
    origin: "llama.cpp",
  }),
  mutant("embeddings/batch-single", "A batch is answered with its first vector", ["EMB-002"], {
    mayAlsoFail: ["EMB-003", "EMB-031", "EMB-037", "SVC-022"],
  }),
  mutant("embeddings/batch-differs", "Vectors of a batch are not those of its texts", ["EMB-031"], {
    mayAlsoFail: ["EMB-015", "EMB-037", "SVC-022"],
  }),
  mutant("embeddings/base64-other-vector", "base64 and numbers differ", ["EMB-015"], { mayAlsoFail: ["EMB-031"] }),
  mutant("embeddings/first-vector-repeated", "Every text of a batch gets the vector of the first", ["EMB-031"]),
  mutant("embeddings/index-all-zero", "Every item has index 0", ["EMB-003"], { mayAlsoFail: ["EMB-002", "EMB-031"] }),
  mutant("embeddings/index-restarts", "Indexes begin anew after each eight texts", ["EMB-003"], {
    mayAlsoFail: ["EMB-002", "EMB-031", "EMB-037", "EMB-015"],
  }),
  mutant("embeddings/index-from-one", "Indexes begin at 1", ["EMB-003"], { mayAlsoFail: ["EMB-001", "EMB-002", "EMB-031"] }),
  mutant("embeddings/index-reversed", "Indexes name the wrong texts", ["EMB-031"]),
  mutant("embeddings/index-text", "data[].index is a text", ["EMB-025"], { mayAlsoFail: [...whole, "EMB-003"] }),
  mutant("embeddings/index-absent", "data[].index is left out", ["EMB-025"], { mayAlsoFail: [...whole, "EMB-003"] }),
  mutant("embeddings/object-wrong", "object is embeddings", ["EMB-022"], { mayAlsoFail: whole }),
  mutant("embeddings/data-object", "data is an object", ["EMB-023"], {
    mayAlsoFail: [...whole, "EMB-003", "EMB-018", "EMB-011", "EMB-012"],
  }),
  mutant("embeddings/item-object-wrong", "data[].object is vector", ["EMB-024"], { mayAlsoFail: whole }),
  mutant("embeddings/vector-absent", "Items hold no vector", ["EMB-026"], {
    mayAlsoFail: [...whole, "EMB-011", "EMB-012", "EMB-014", "EMB-018"],
  }),
  mutant("embeddings/vector-empty", "Vectors are empty", ["EMB-026"], {
    mayAlsoFail: [...whole, "EMB-011", "EMB-012", "EMB-014", "EMB-018"],
  }),
  mutant("embeddings/vector-with-null", "Vectors hold null", ["EMB-026"], {
    mayAlsoFail: [...whole, "EMB-011", "EMB-012"],
    origin: "NaN in half precision",
  }),
  mutant("embeddings/float-as-text", "Numbers of vectors are texts", ["EMB-026"], {
    mayAlsoFail: [...whole, "EMB-011", "EMB-012"],
  }),
  mutant("embeddings/model-absent", "The list does not name the model", ["EMB-027"], { mayAlsoFail: whole }),
  mutant("embeddings/usage-absent", "The list has no usage", ["EMB-028"], { mayAlsoFail: ["EMB-029", ...whole] }),
  mutant("embeddings/usage-prompt-absent", "usage.prompt_tokens is left out", ["EMB-028"], { mayAlsoFail: whole }),
  mutant("embeddings/usage-fraction", "usage.prompt_tokens has a fraction", ["EMB-028"], { mayAlsoFail: [...whole, "EMB-030"] }),
  mutant("embeddings/usage-total-absent", "usage.total_tokens is left out", ["EMB-029"], { mayAlsoFail: whole }),
  mutant("embeddings/base64-for-addresses", "base64 is written in the alphabet for addresses", ["EMB-039"], {
    mayAlsoFail: ["EMB-014"],
  }),
  mutant("embeddings/lists-refused-in-base64", "A list of one text is refused under base64", ["EMB-040"]),
];
