import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

export const usageMutants: readonly Mutant[] = [
  mutant("usage/nothing-counted", "The report is always empty of usage", ["USG-032", "USG-033"], {
    mayAlsoFail: ["USG-040", "USG-041", "SPEND-022"],
  }),
  mutant("usage/calling-key-only", "The report covers the calling key, not the account", ["USG-033"], {
    mayAlsoFail: ["USG-032"],
    needs: ["key:secondary"],
  }),
  mutant("usage/streams-missing", "Streams are not in the report", ["USG-041"], { mayAlsoFail: ["USG-032", "SPEND-022"] }),
  mutant("usage/aborted-streams-missing", "Streams that their clients left are not in the report", ["USG-041"], {
    origin: "OpenGateLLM#1148",
  }),
  mutant("usage/streams-billed-more", "Streams are billed five prompt tokens more than their usage states", ["USG-032"], {
    origin: "Augustas11/macprovider#255",
  }),
  mutant("usage/images-free", "Images cost nothing in the report", ["USG-047"]),
  mutant("usage/recordings-free", "Recordings cost nothing in the report", ["USG-047"]),
  mutant("usage/all-free", "The report shows tokens and no cost", ["USG-047"], { mayAlsoFail: ["KEY-011", "ACC-005"] }),
  mutant("usage/batches-counted-once", "A batch of embeddings counts as one input", ["USG-032"]),
  mutant("usage/aggregate-drops-last-bucket", "The aggregate leaves out the last bucket", ["USG-028", "USG-029"], {
    mayAlsoFail: ["USG-030", "USG-031", "USG-032", "USG-033", "USG-041"],
  }),
  mutant("usage/aggregate-counts-prompt-only", "The aggregate sums prompt tokens only", ["USG-028"], {
    mayAlsoFail: ["USG-032", "USG-033", "USG-041"],
  }),
  mutant("usage/total-mismatch", "total_tokens of a bucket is one too high", ["USG-028"], {
    mayAlsoFail: ["USG-024", "USG-032"],
  }),
  mutant("usage/to-inclusive", "The end of the window belongs to it", ["USG-019"], { mayAlsoFail: ["USG-031"] }),
  mutant("usage/to-ignored", "The window has no end", ["USG-019"], { mayAlsoFail: ["USG-031", "USG-030", "USG-038"] }),
  mutant("usage/window-ignored", "Every report covers everything", ["USG-019"], {
    mayAlsoFail: ["USG-031", "USG-030", "USG-038"],
  }),
  mutant("usage/default-hour", "The default granularity is hour", ["USG-011"], { mayAlsoFail: ["USG-045"] }),
  mutant("usage/buckets-from-window-start", "Hours, days and months are counted from the start of the window", ["USG-017"], {
    mayAlsoFail: ["USG-011", "USG-019", "USG-030"],
  }),
  mutant("usage/months-of-30-days", "A month is thirty days, counted from 1970", ["USG-017"], { mayAlsoFail: ["USG-019"] }),
  mutant("usage/last-day-whole", "The day in which a window ends belongs to it as a whole", ["USG-031"], {
    mayAlsoFail: ["USG-019", "USG-030", "USG-005", "USG-038"],
    origin: "BerriAI/litellm#27780",
  }),
  mutant("usage/first-day-whole", "The day in which a window begins belongs to it as a whole", ["USG-038"], {
    mayAlsoFail: ["USG-019", "USG-031", "USG-030", "USG-028"],
  }),
  mutant("usage/first-month-whole", "The month in which a window begins belongs to it as a whole", ["USG-038"], {
    mayAlsoFail: ["USG-019", "USG-031", "USG-030", "USG-028"],
  }),
  mutant("usage/bucket-per-key", "Every key has its own item per bucket", ["USG-018"], {
    mayAlsoFail: ["USG-045"],
    needs: ["key:secondary"],
  }),
  mutant("usage/timestamp-in-seconds", "Bucket timestamps are Unix seconds", ["USG-016"], {
    mayAlsoFail: ["USG-011", "USG-017", "USG-018", "USG-019", "USG-035", "USG-045"],
  }),
  mutant("usage/cost-as-string", "cost_usd is a string", ["USG-023"], { mayAlsoFail: ["USG-029"] }),
  mutant("usage/cost-in-cents", "cost_usd of a bucket is in cents", ["USG-029"], {
    mayAlsoFail: ["USG-030", "KEY-011", "ACC-005"],
  }),
  mutant("usage/cost-rounded", "cost_usd of a bucket is rounded to cents", ["USG-029"], { mayAlsoFail: ["USG-030"] }),
];
