import type { LimitIdentification } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";
import { equalStates, type Limiter, type ModelState } from "../models/limiter-model.ts";
import { modelOfFamily } from "../models/model-of-family.ts";

/** A small schedule whose readings distinguish families; instants from its begin on. */
export interface Experiment {
  /** For readers of the report. */
  readonly title: string;
  /** Windows of silence before it. */
  readonly silentWindows: number;
  readonly steps: readonly ExperimentStep[];
}

export interface ExperimentStep {
  readonly atMs: number;
  /** One is a reading, more come at once. */
  readonly count: number;
}

type Survivor = Pick<LimitIdentification["survivors"][number], "family" | "parameters">;

/** The state before an experiment: everything that was counted, the limit, and now. */
export interface Situation {
  readonly ops: readonly LimitOp[];
  readonly limit: number;
  readonly windowMs: number;
  readonly nowMs: number;
}

export interface ChosenExperiment {
  readonly experiment: Experiment;
  /** Pairs of survivors that it separates, of all pairs that differ at all. */
  readonly separates: number;
  readonly pairs: number;
  /** Least and greatest remaining that survivors predict where they disagree most. */
  readonly spread: { readonly atMs: number; readonly low: number; readonly high: number };
}

/** A bucket that is filled continuously is one that is filled in very small batches: no record separates the two. */
function classOf(family: string): string {
  return family === "batch-refill" ? "token-bucket" : family;
}

/**
 * The experiment on which survivors disagree most: that separates most pairs of them, whatever the unknown begin of their windows,
 * then with the widest margin, then in the least time. null: one class is left, or none of the experiments separates any.
 */
export function chooseExperiment(survivors: readonly Survivor[], situation: Situation): ChosenExperiment | null {
  const classes = new Map<string, readonly Hypothesis[]>();
  for (const survivor of survivors) {
    const id = classOf(survivor.family);
    if (!classes.has(id)) classes.set(id, hypothesesOf(survivor, situation));
  }
  if (classes.size < 2) return null;
  const chosen = experimentsFor(situation)
    .map((experiment) => weigh(experiment, [...classes.values()], situation))
    .filter(({ separates }) => separates > 0)
    .sort((a, b) => b.separates - a.separates || b.margin - a.margin || a.durationMs - b.durationMs)[0];
  return chosen ?? null;
}

/** Phases that fit the history best, a few of them. */
const phasesTried = 60;
const phasesKept = 8;

/** A limiter of a family, as a history may have left it. */
interface Hypothesis {
  readonly limiter: Limiter;
  readonly state: ModelState;
}

/** A family after the history, for each begin of its windows that fits it. */
function hypothesesOf(survivor: Survivor, situation: Situation): readonly Hypothesis[] {
  const { ops, limit, windowMs } = situation;
  const model = modelOfFamily(survivor.family);
  if (model === null) return [];
  const capacity = typeof survivor.parameters["capacity"] === "number" ? survivor.parameters["capacity"] : limit;
  const restarts = survivor.parameters["restarts"] === true;
  const replay = (phaseMs: number): Hypothesis & { readonly misses: number } => {
    const limiter = model.init({ limit, windowMs, phaseMs, restarts, weigh: "exact", capacity, batchMs: 0 });
    let state = limiter.start;
    let misses = 0;
    for (const op of ops) {
      if (op.outcome !== "admitted") continue;
      state = limiter.step(state, "take", op.sentMs);
      const { remaining } = op.requests;
      if (remaining === null) continue;
      const left = limiter.left(limiter.step(state, "ask", op.headersMs));
      misses += Math.min(limit / 4, Math.abs(left - remaining));
    }
    return { limiter, state, misses };
  };
  if (!model.hasPhase) return [replay(0)];
  const fits = Array.from({ length: phasesTried }, (_, index) => replay((index * windowMs) / phasesTried)).sort(
    (a, b) => a.misses - b.misses,
  );
  const most = fits[0]!.misses * 1.1 + 2;
  const good = fits.filter(({ misses }) => misses <= most);
  const step = Math.max(1, Math.floor(good.length / phasesKept));
  const kept = good.filter((_, index) => index % step === 0);
  // Windows that began anew since are the same, wherever they began before.
  return kept.filter(({ state }, index) => kept.findIndex((one) => equalStates(one.state, state)) === index);
}

/** Bursts of several sizes and readings at several distances: within a window, across its end, and a window after. */
function experimentsFor({ limit, windowMs }: Situation): readonly Experiment[] {
  const third = Math.max(3, Math.floor(limit / 3));
  const most = Math.max(3, limit - Math.max(3, Math.ceil(limit / 10)));
  const readings = (...parts: readonly number[]): readonly ExperimentStep[] =>
    parts.map((part) => ({ atMs: part * windowMs, count: 1 }));
  return [
    {
      title: `after two silent windows ${third} requests at once, then one each quarter of a window`,
      silentWindows: 2,
      steps: [{ atMs: 0, count: third }, ...readings(0.25, 0.5, 0.75, 0.95, 1.1)],
    },
    {
      title: `after two silent windows ${third} requests at once, as many again a third of a window later, and one just after the first have left the window`,
      silentWindows: 2,
      steps: [{ atMs: 0, count: third }, { atMs: windowMs / 3, count: third }, ...readings(0.6, 0.85, 1.06, 1.2)],
    },
    {
      title: `after two silent windows ${most} requests at once, then one each eighth of a window until the next has passed`,
      silentWindows: 2,
      steps: [{ atMs: 0, count: most }, ...readings(0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.06, 1.25, 1.5)],
    },
    {
      title: "two requests at the pace of two refills",
      silentWindows: 0,
      steps: [
        { atMs: (2 * windowMs) / limit, count: 1 },
        { atMs: (4 * windowMs) / limit, count: 1 },
      ],
    },
    {
      title: `after a pause of 1.4 windows ${third} requests at once, then one each fifth of a window`,
      silentWindows: 1.4,
      steps: [{ atMs: 0, count: third }, ...readings(0.2, 0.4, 0.6, 0.8, 1.04, 1.2)],
    },
  ];
}

interface Weighed extends ChosenExperiment {
  readonly margin: number;
  readonly durationMs: number;
}

function weigh(experiment: Experiment, classes: readonly (readonly Hypothesis[])[], situation: Situation): Weighed {
  const { limit, windowMs, nowMs } = situation;
  const startMs = nowMs + experiment.silentWindows * windowMs + 3000;
  const predictions = classes.map((hypotheses) => hypotheses.map((one) => predict(experiment, one, startMs)));
  const enough = Math.max(3, limit / 10);
  let separates = 0;
  let pairs = 0;
  let margin = 0;
  predictions.forEach((left, index) => {
    for (const right of predictions.slice(index + 1)) {
      pairs += 1;
      const apart = leastDistance(left, right);
      if (apart >= enough) separates += 1;
      margin += Math.min(apart, limit / 2);
    }
  });
  return {
    experiment,
    separates,
    pairs,
    margin,
    durationMs: experiment.silentWindows * windowMs + experiment.steps.at(-1)!.atMs,
    spread: widestSpread(experiment, predictions.flat()),
  };
}

/** The reading that a hypothesis predicts for each single request of the experiment. */
function predict(experiment: Experiment, { limiter, state: before }: Hypothesis, startMs: number): readonly number[] {
  let state = before;
  return experiment.steps.flatMap(({ atMs, count }) => {
    let left = 0;
    for (let sent = 0; sent < count; sent += 1) {
      state = limiter.step(state, "ask", startMs + atMs);
      left = limiter.left(state);
      if (left >= 1) state = limiter.step(state, "take", startMs + atMs);
    }
    return count === 1 ? [Math.max(0, Math.floor(left))] : [];
  });
}

/** The two predictions that are nearest to each other, by their widest difference in one reading. */
function leastDistance(left: readonly (readonly number[])[], right: readonly (readonly number[])[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const one of left) {
    for (const other of right) {
      const widest = one.reduce((most, value, index) => Math.max(most, Math.abs(value - other[index]!)), 0);
      least = Math.min(least, widest);
    }
  }
  return Number.isFinite(least) ? least : 0;
}

function widestSpread(experiment: Experiment, predictions: readonly (readonly number[])[]): ChosenExperiment["spread"] {
  const instants = experiment.steps.filter(({ count }) => count === 1).map(({ atMs }) => atMs);
  let best = { atMs: 0, low: 0, high: 0 };
  instants.forEach((atMs, index) => {
    const values = predictions.map((readings) => readings[index]!);
    const low = Math.min(...values);
    const high = Math.max(...values);
    if (high - low > best.high - best.low) best = { atMs, low, high };
  });
  return best;
}
