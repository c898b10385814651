import type { FieldBug } from "../field-bug.ts";

const dayMs = 86_400_000;
const chunkTokens = 8;

/** Usage reports. */
export const usageBugs: readonly FieldBug[] = [
  {
    reference: "etalab-ia/OpenGateLLM#1148",
    says: "streams that their clients leave are never billed",
    stage: "check",
    broken: () => ({ entries: (entry, end) => (end === "left" ? [] : [entry]) }),
  },
  {
    reference: "obot-platform/obot#7488",
    says: "answers that are not streamed are recorded with zero tokens",
    stage: "check",
    broken: () => ({ entries: (entry) => (entry.streams ? [entry] : []) }),
  },
  {
    reference: "ferro-labs/ai-gateway#281",
    says: "streams are recorded with zero tokens",
    stage: "check",
    broken: () => ({ entries: (entry) => (entry.streams ? [] : [entry]) }),
  },
  {
    reference: "Augustas11/macprovider#255",
    says: "streams are billed some tokens more than they deliver",
    stage: "check",
    broken: () => ({ entries: (entry) => [entry.streams ? { ...entry, completion: entry.completion + 5 } : entry] }),
  },
  {
    reference: "helixml/helix#3005",
    says: "the usage of every chunk of a stream, each that of all before, is summed and billed",
    stage: "check",
    broken: () => ({
      entries: (entry) =>
        entry.streams
          ? Array.from({ length: Math.ceil(entry.completion / chunkTokens) }, (_, chunk) => ({
              ...entry,
              completion: Math.min(entry.completion, (chunk + 1) * chunkTokens),
            }))
          : [entry],
    }),
  },
  {
    reference: "BerriAI/litellm#12970",
    says: "streams state ten times the prompt tokens",
    stage: "check",
    broken: () => ({
      stated: (usage, { streams }) => (streams ? { ...usage, prompt: 10 * usage.prompt } : usage),
    }),
  },
  {
    reference: "BerriAI/litellm#27780",
    says: "a report of a single day holds the day after it as well",
    stage: "check",
    missed: "no report of a single day without usage is asked for",
    broken: () => ({ range: (fromMs, toMs) => [fromMs, toMs - fromMs <= dayMs ? toMs + dayMs : toMs] }),
  },
];
