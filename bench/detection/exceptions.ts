import type { Personality } from "./personalities.ts";

interface Exception {
  readonly mutants: RegExp;
  readonly variant: string;
  readonly reason: string;
}

/** Variants of the server that leave nothing of a mutant, or make it lawful. */
const exceptions: readonly Exception[] = [
  {
    mutants: /^op\/[a-z-]+\/404\/(?:chat|embeddings|transcriptions)(?:\/|$)/,
    variant: "errors/unknown-model-422",
    reason: "this server answers nothing there with 404",
  },
  {
    mutants: /^op\/[a-z-]+\/404\/chat(?:\/|$)|^op\/unchecked\/chat\/unknown-model\/streamed$/,
    variant: "chat/unknown-model-served",
    reason: "this server serves chat whatever the model is called",
  },
  {
    mutants: /^op\/hint\/[a-z-]+\/fraction$/,
    variant: "limits/retry-after-body-only",
    reason: "the wait stands in the body alone, where the type of the number is not stated",
  },
  {
    mutants: /^op\/hint\/requests\/milliseconds$/,
    variant: "limits/bucket-starts-empty",
    reason: "the very first answer asks for a wait of many minutes: the run ends before anything is judged, with exit code 3",
  },
  {
    mutants: /^(?:op\/swapped\/images|images\/size-ignored)$/,
    variant: "images/url-private",
    reason: "the addresses of pictures want credentials: nobody sees what they show",
  },
  {
    mutants: /^usage\/to-inclusive$/,
    variant: "usage/empty-buckets-omitted",
    reason: "only an empty bucket shows it there: whether the end belongs to a window is open (USG-043)",
  },
  {
    mutants: /^auth\/new-key-never-works$/,
    variant: "headers/clock-behind",
    reason: "by the Date of this server the minute of a new key is not over when the case ends",
  },
];

/** Why this mutant is no defect of this server; null where it is one. */
export function whyNoDefect(mutant: string, { variants }: Personality): string | null {
  return exceptions.find((one) => one.mutants.test(mutant) && variants.includes(one.variant))?.reason ?? null;
}
