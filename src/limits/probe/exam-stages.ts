import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";

const stagesOf = {
  requests: [
    "requests.look",
    "requests.drain",
    "requests.visits",
    "requests.return",
    "requests.other-key",
    "requests.again",
    "requests.contest",
    "requests.long",
    "requests.unlike-windows",
    "requests.endpoints",
  ],
  tokens: ["tokens.look", "tokens.charges", "tokens.beyond", "tokens.left", "tokens.left-many"],
  burst: ["burst.volley", "burst.one-by-one", "burst.queue"],
  spend: ["spend.price", "spend.capped", "spend.raised", "spend.cheap", "spend.lowered", "spend.account"],
} as const;

/** A part of an exam, by its policy: a run that asks about a few requirements or checks sends only the stages that they need. */
export type ExamStage = (typeof stagesOf)[LimitPolicyId][number];

/** Each stage in the words of a plan that leaves it out. */
export const stageWords: Readonly<Record<ExamStage, string>> = {
  "requests.look": "quiet and simultaneous requests",
  "requests.drain": "using up the limit",
  "requests.visits": "other keys, endpoints, spellings and clients at the limit",
  "requests.return": "returning after the stated wait",
  "requests.other-key": "another key meanwhile",
  "requests.again": "using up a second window",
  "requests.contest": "the last requests wanted at once",
  "requests.long": "phases of several windows",
  "requests.unlike-windows": "windows unlike the first",
  "requests.endpoints": "using up other endpoints",
  "tokens.look": "reading what remains",
  "tokens.charges": "charges of single requests",
  "tokens.beyond": "using up the tokens",
  "tokens.left": "a stream that is left",
  "tokens.left-many": "many streams that are left at once",
  "burst.volley": "a burst at once",
  "burst.one-by-one": "a burst request by request",
  "burst.queue": "requests that are queued",
  "spend.price": "the price of a purchase",
  "spend.capped": "purchases up to a cap",
  "spend.raised": "a cap that is raised",
  "spend.cheap": "requests that cost a fraction of a cent",
  "spend.lowered": "a cap that is lowered",
  "spend.account": "the cap of the account",
};

/** The stages that a schedule sends. */
export type ExamStages = ReadonlySet<ExamStage>;

export function stagesOfPolicy(policy: LimitPolicyId): readonly ExamStage[] {
  return stagesOf[policy];
}

/** Those of some stages that an exam sends, in the order of `own`. */
export function stagesAmong(stages: ExamStages, own: readonly ExamStage[]): ExamStages {
  return new Set(own.filter((stage) => stages.has(stage)));
}

/** Stages that only prepare others: nothing is asked by them alone, and they cost money. */
export const preparingStages: ExamStages = new Set(["spend.price"]);

/** Of every policy: the whole exam. */
export const allExamStages: ExamStages = new Set(Object.values(stagesOf).flat());

/** The stages that must come before another, since it rests on what they leave behind. */
const before: Readonly<Partial<Record<ExamStage, readonly ExamStage[]>>> = {
  "requests.drain": ["requests.look"],
  "requests.visits": ["requests.drain"],
  "requests.return": ["requests.drain"],
  // It has its time while the first key waits, and what that key meets at its limit decides how it is asked.
  "requests.other-key": ["requests.visits", "requests.return", "requests.again"],
  "requests.again": ["requests.return"],
  "requests.contest": ["requests.again"],
  "requests.long": ["requests.contest"],
  // The window after a silent one is that of the endpoint which was visited at the limit.
  "requests.unlike-windows": ["requests.visits", "requests.again"],
  "requests.endpoints": ["requests.look"],
  "tokens.charges": ["tokens.look"],
  "tokens.beyond": ["tokens.look"],
  // Its prompt is compared with one that was read whole.
  "tokens.left": ["tokens.charges"],
  "tokens.left-many": ["tokens.look"],
  "spend.capped": ["spend.price"],
  "spend.raised": ["spend.capped"],
  "spend.cheap": ["spend.raised"],
  // They need purchases of this exam that lie well above what they set.
  "spend.lowered": ["spend.raised"],
  "spend.account": ["spend.capped"],
};

/** These stages with all that must come before them. */
export function withEarlierStages(stages: Iterable<ExamStage>): ExamStages {
  const all = new Set<ExamStage>();
  const add = (stage: ExamStage): void => {
    if (all.has(stage)) return;
    all.add(stage);
    for (const earlier of before[stage] ?? []) add(earlier);
  };
  for (const stage of stages) add(stage);
  return all;
}
