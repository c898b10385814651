import type { UntestedReason } from "../../core/result/verdict.ts";
import type { ExamPartName } from "../../core/result/checks/limit-policies.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { Manifest, ManifestFacts } from "../../core/manifest.ts";
import type { SettingChange } from "../history/burst-settings.ts";
import type { History } from "../history/history.ts";
import type { SpendView } from "../history/spend-view.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { ExamStages } from "./exam-stages.ts";
import type { NotJudged } from "./not-judged.ts";
import type { PolicyJudgement } from "./policy.ts";
import type { ExamDepth, ProbeTools } from "./probe-tools.ts";

/** One schedule that is ready to be sent: with the same requests to a target, or to the model of one that the plan measures. */
export interface PreparedProbe {
  readonly title: string;
  /** Manifest name of the key that it uses up: exams with different keys may overlap. */
  readonly key: string;
  /** Nothing else may run meanwhile: it changes what every key of the account is allowed. */
  readonly alone: boolean;
  /** The requests that it sends with the key are counted apart from other exams of that key: it may overlap with them. */
  readonly sharesKey?: true;
  /** All that its schedule knows of the stages that were asked for: with the same ones it sends the same. */
  readonly stages: ExamStages;
  /** The largest limit that it uses up, by its member of `limits`: what it costs where none is declared. Absent: none that costs anything. */
  readonly dearest?: Partial<Pick<Manifest["limits"], "requestsPerMinute" | "tokensPerMinute">>;
  /** `planned`: what the plan allows for; nothing while it is made. */
  run(tools: ProbeTools, planned: { readonly purchases: number }): Promise<void>;
}

/** The exam that was asked for. */
export interface WantedExam {
  readonly exam: ExamDepth;
  /** Nothing outside of them is sent, or missed. */
  readonly stages: ExamStages;
}

export interface Preparation {
  readonly probes: readonly PreparedProbe[];
  /** The parts that the manifest does not let this probe judge. */
  readonly notJudged: readonly NotJudged[];
}

/** Everything a policy is judged from. */
export interface ExamRecord {
  /** All exchanges of the run: requests of other stages count against the same limits. */
  readonly exchanges: readonly Exchange[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  readonly history: History;
  /** The instants from which on the service was seen away or to begin anew, rising (`findCuts`). */
  readonly cutsMs: readonly number[];
  /** PATCH requests of the run that were accepted, or may have been. */
  readonly changes: readonly SettingChange[];
  /** The purchases of the exam of caps; null: it measured no price. */
  readonly spend: SpendView | null;
  readonly manifest: ManifestFacts;
  readonly tolerances: Tolerances;
  /** Middle of what is known of the service's clock less ours; null: nothing is. */
  readonly offsetMs: number | null;
  readonly strict: boolean;
}

export interface ProbeJudgement {
  readonly policies: readonly PolicyJudgement[];
  /** Verdicts on requirements of the suites limits and spend. */
  readonly occurrences: readonly Occurrence[];
}

/** One policy of the limits stage: what it would send to this target, and what the record says of it. */
export interface LimitProbe {
  /** It is there to spend money: this part is not judged where it takes more than `permissions.spendUpToCents`. Absent: it is not. */
  readonly paid?: ExamPartName;
  /** Each schedule is run by the plan as well (`dry-run.ts`), against a model of a correct target. */
  prepare(manifest: Manifest, wanted: WantedExam): Preparation;
  /** Pure. Empty where the record holds nothing of this policy. */
  judge(record: ExamRecord): ProbeJudgement;
}

/** A part of the exam that cannot be, and for lack of what in the manifest. */
export function notJudged(policy: ExamPartName, untested: UntestedReason, text: string): NotJudged {
  return { policy, untested, text };
}
