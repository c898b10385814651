import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const embeddingsVariants: readonly Variant[] = [
  variant(
    "embeddings/batches-half-price",
    "A batch of texts costs half",
    "No price is stated, and discounts for batches are usual.",
  ),
  variant(
    "embeddings/entries-as-text",
    "Numbers and booleans in a batch are taken for their text",
    "Whether wrong types are converted is open (AMB-05), wherever they stand.",
    { changes: ["EMB-006", "ERR-023"] },
  ),
  variant("embeddings/batch-digits", "Vectors of a batch differ from single ones in the last digits", "Sums in another order.", {
    changes: ["EMB-031", "EMB-032"],
  }),
  variant(
    "embeddings/base64-ignored",
    "encoding_format base64 is answered with numbers",
    "The field table shows an array (AMB-30).",
    { changes: ["EMB-014", "EMB-015", "EMB-031"] },
  ),
  variant(
    "embeddings/entries-any-order",
    "The entries of a batch stand in the reverse order",
    "index says which text an entry belongs to; no order of data is stated.",
  ),
  variant("embeddings/base64-doubles", "base64 holds 64-bit floats", "The width of a number is not stated (AMB-30).", {
    changes: ["EMB-014", "EMB-031"],
  }),
  variant("embeddings/base64-big-endian", "base64 holds big-endian floats", "The byte order is not stated (AMB-30).", {
    changes: ["EMB-014", "EMB-031"],
  }),
];
