import type { CapacityResult, LoadStep } from "../../core/result/load-result.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { leadingGates } from "../gates/leading-gates.ts";
import { longestDelay } from "../generator/longest-delay.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { type Extreme, type LoopDelays, rereadRecord } from "../samples/reread-record.ts";
import { shiftRecord } from "../samples/shift-record.ts";
import { describeCapacity } from "./describe-capacity.ts";
import { levelError } from "./level-error.ts";
import { summarizeStep } from "./summarize-step.ts";
import type { SummaryInput } from "./summary-input.ts";

/** The levels of a search, and what they come to. */
export interface SearchSummary {
  readonly steps: readonly LoadStep[];
  /** Null: the profile is no search for capacity. */
  readonly capacity: CapacityResult | null;
  /** The same with each time at an end of what it can have been for a loop that was late; null where nobody knows. */
  readonly rereadCapacity: Readonly<Record<Extreme, CapacityResult | null>> | null;
  /** The same at the ends of the error of the calibration. */
  readonly shiftedCapacity: Readonly<Record<Extreme, CapacityResult | null>> | null;
}

/**
 * Level by level of a search, over all that was sent at it. A level is not judged whose verdict is another one with each time at an end
 * of what it can have been, by the delays of the loop or by the error of the calibration. Trials of a search for capacity keep their
 * counts: without those that failed alone it would come to too much. `delays`: null where they are not known.
 */
export function summarizeSteps(input: SummaryInput, delays: LoopDelays | null): SearchSummary {
  const { profile } = input;
  const read = stepsOf(input, (record) => record);
  const capacity = describeCapacity(profile, read);
  if (read.length === 0) return { steps: read, capacity, rereadCapacity: null, shiftedCapacity: null };
  const { slo } = profile;
  const wrong = levelError(input, leadingGates(profile));
  const late = delays === null ? null : rereadSteps(input, read, (record, end) => rereadRecord(record, end, delays, slo));
  const shifted = wrong === null ? null : rereadSteps(input, read, (record, end) => shiftRecord(record, end, wrong.error, slo));
  const punctual = late === null ? read : doubtSteps(read, late, describeDelay(input));
  const steps = shifted === null || wrong === null ? punctual : doubtSteps(punctual, shifted, wrong.because("this level"));
  if (capacity === null) return { steps, capacity, rereadCapacity: null, shiftedCapacity: null };
  const rereadCapacity = late === null ? null : capacitiesOf(profile, late);
  const shiftedCapacity = shifted === null ? null : capacitiesOf(profile, shifted);
  return {
    steps,
    capacity: rereadCapacity === null ? capacity : remark(capacity, rereadCapacity),
    rereadCapacity,
    shiftedCapacity,
  };
}

type StepsAtEnds = Readonly<Record<Extreme, readonly LoadStep[]>>;

function rereadSteps(
  input: SummaryInput,
  read: readonly LoadStep[],
  reread: (record: LoadRecord, end: Extreme) => LoadRecord,
): StepsAtEnds {
  const at = (end: Extreme): readonly LoadStep[] =>
    // A level that was not sent as it was asked for says nothing at any end.
    stepsOf(input, (record) => reread(record, end)).map((step, place) => {
      const asRead = read[place];
      return asRead?.limitedBy === "generator" ? asRead : step;
    });
  return { shortest: at("shortest"), longest: at("longest") };
}

function doubtSteps(steps: readonly LoadStep[], { shortest, longest }: StepsAtEnds, reason: string): readonly LoadStep[] {
  return steps.map((step, place): LoadStep => {
    const other = step.verdict === "fail" ? shortest[place] : step.verdict === "pass" ? longest[place] : step;
    return other?.verdict !== step.verdict ? { ...step, verdict: "inconclusive", reason, limitedBy: "instrument" } : step;
  });
}

function capacitiesOf(
  profile: SummaryInput["profile"],
  { shortest, longest }: StepsAtEnds,
): Readonly<Record<Extreme, CapacityResult | null>> {
  return { shortest: describeCapacity(profile, shortest), longest: describeCapacity(profile, longest) };
}

function describeDelay({ seconds }: SummaryInput): string {
  return `the event loop of this machine was up to ${Math.ceil(longestDelay(seconds))} ms late during the search, which could have turned it; a calmer machine would decide it`;
}

/** Says so where the search comes to something outside of its interval at an end. */
function remark(
  capacity: CapacityResult,
  { shortest, longest }: Readonly<Record<Extreme, CapacityResult | null>>,
): CapacityResult {
  const isLower = (longest?.value ?? 0) < (capacity.low ?? 0);
  const isHigher =
    capacity.value === null ? (shortest?.value ?? null) !== null : (shortest?.value ?? 0) > (capacity.high ?? Infinity);
  if (!isLower && !isHigher) return capacity;
  const name = (result: CapacityResult | null): string => String(result?.value ?? "none");
  return {
    ...capacity,
    reason: `${capacity.reason}; this machine was late: between ${name(longest)} and ${name(shortest)} without that`,
  };
}

function stepsOf(
  { profile, records, rates, lengthsMs, replacedSteps = [] }: SummaryInput,
  read: (record: LoadRecord) => LoadRecord,
): readonly LoadStep[] {
  const shape = shapeOf(profile.arrivals);
  if (shape.name !== "search") return [];
  const gates = leadingGates(profile);
  return rates.flatMap((level, step) => {
    if (replacedSteps.includes(step)) return [];
    return summarizeStep({
      ...(shape.levels.of === "rate" ? { ratePerSecond: level } : { concurrency: level }),
      ...(gates === null ? {} : { gates }),
      // Older records hold searches of which every level took as long as the first.
      lengthMs: lengthsMs?.[step] ?? 1000 * (shape.plannedTrials[0]?.seconds ?? 0),
      records: records.filter((record) => record.step === step).map(read),
    });
  });
}
