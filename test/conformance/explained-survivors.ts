/**
 * Defects that a fair judge does not tell, by the pattern of `kind: defect`, each with the reason. `survivors.txt` holds every
 * single one that these patterns excuse.
 */
export const explanations: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /\/error\/message$/, why: "texts for people are not specified" },
  { pattern: /: (?:other text) \/error\/code$/, why: "the values of error.code are not listed" },
  {
    pattern: /^\d+ (?!.*429).*: status (?:500|503)$/,
    why: "a 5xx may be trouble of the moment: the row is inconclusive until it repeats",
  },
  { pattern: /^50\d models: status/, why: "a declared trigger that leads to another answer proves nothing" },
  { pattern: /header x-ratelimit-limit-\w+ in milliseconds$/, why: "a larger limit is a lawful limit" },
  { pattern: /header www-authenticate (?:garbled|duplicated)$/, why: "any challenge will do, and there may be several" },
  { pattern: /^422 \w[\w-]* malformed: .*\/error\/details/, why: "details of a body that is no JSON are not specified" },
  { pattern: /^422 .*: repeat \/error\/details\/0$/, why: "naming a field twice hides nothing" },
  {
    pattern: /^422 .*: (?:other text|list) \/error\/details\/0\/expected$/,
    why: "the words that tell the expected format are free",
  },
  {
    pattern: /^422 .*: list \/error\/details\/0\/field$/,
    why: "members of an entry are not specified: a list that holds the name still names it",
  },
  {
    pattern: /^422 transcriptions: (?:other text|number|drop|null|empty) \/error\/details\/0\/field$/,
    why: "the body as a whole is at fault, so no field has to be named",
  },
  { pattern: /^404 \w+: status (?:400|403|409)$/, why: "an unknown model may be refused with any 4xx (AMB-06)" },
  { pattern: /^401 (?:agents|workspaces|verify): status 404$/, why: "a path that is only named need not exist (AMB-22)" },
  { pattern: /^200 (?:key|account)-settings: /, why: "the shape of the response to PATCH is not shown, nor its status" },
  { pattern: /: other text \/id$/, why: "identifiers are opaque" },
  {
    pattern: /^200 models: (?:other text \/data\/0\/(?:id|owned_by)|empty \/data\/0\/owned_by|drop \/data\/0)$/,
    why: "which models there are and who owns them is free",
  },
  { pattern: /^200 usage: (?:emptied \/data|drop \/data\/0)$/, why: "empty buckets may be left out" },
  { pattern: /^200 images: (?:other text|empty) \/data\/0\/revised_prompt$/, why: "the words of a revised prompt are free" },
  { pattern: /^200 transcriptions: (?:other text|empty) \/text$/, why: "what was heard is free" },
  { pattern: /^200 chat: (?:other text|empty) \/choices\/0\/message\/content$/, why: "what a model says is free" },
  { pattern: /^200 chat: other text \/choices\/0\/finish_reason$/, why: "further reasons for ending are not shown (AMB-02)" },
];

/** The first explanation that fits, null when there is none. */
export function explainSurvivor(name: string): string | null {
  return explanations.find(({ pattern }) => pattern.test(name))?.why ?? null;
}
