import { constantFrom, integer, record, array, boolean, type Arbitrary } from "fast-check";
import { createModel, type FamilyId, type ModelOptions } from "./limiter-model.ts";

/** One request of a schedule; all instants are multiples of the grid. */
export interface Step {
  /** After the request before was sent, in grid steps. */
  readonly gap: number;
  /** From sent to answered, in grid steps. */
  readonly span: number;
  /** How many requests like this one are sent at once. */
  readonly times: number;
  /**
   * The position in the span at which it is decided, and that between decision and answer at which it reads, in 0..4 quarters.
   */
  readonly decided: number;
  readonly read: number;
  /** `lost`: unanswered; `free`: answered with another 4xx. */
  readonly kind: "plain" | "lost" | "free";
  /** Whether a lost or free one was counted. */
  readonly counted: boolean;
  /** Which instance answers: -1, 0, 1. */
  readonly instance: number;
}

export interface Schedule {
  readonly options: ModelOptions;
  readonly gridMs: number;
  readonly lateRead: boolean;
  readonly before: 0 | 1;
  readonly rounding: number;
  /** Clock difference of neighbouring instances. */
  readonly skewMs: number;
  /** The limiter's clock against the one that writes Date. */
  readonly limiterAheadMs: number;
  readonly epochShiftMs: number;
  readonly roundReset: "floor" | "round" | "ceil";
  readonly steps: readonly Step[];
}

/** The answer of a lawful limiter. Instants of the run in ms; labels and waits by the limiter's clock. */
export interface Answer {
  readonly seq: number;
  readonly sentMs: number;
  readonly headersMs: number;
  readonly outcome: "admitted" | "rejected" | "free" | "lost";
  readonly remaining: number;
  readonly resetMs: number;
  readonly waitMs: number;
  readonly skewMs: number;
  readonly decidedMs: number;
}

export interface ScheduleBounds {
  readonly families: readonly FamilyId[];
  readonly windowMs: number;
  readonly grids: readonly number[];
  readonly maxSteps: number;
  readonly limits: readonly number[];
  readonly bursts: readonly number[];
  readonly maxGap: number;
  readonly maxSpan: number;
  readonly skews: readonly number[];
  readonly strange: boolean;
}

export function schedules(bounds: ScheduleBounds): Arbitrary<Schedule> {
  const { windowMs } = bounds;
  const kinds: readonly Step["kind"][] = bounds.strange
    ? ["plain", "plain", "plain", "plain", "plain", "lost", "free"]
    : ["plain"];
  const step: Arbitrary<Step> = record({
    gap: integer({ min: 0, max: bounds.maxGap }),
    span: integer({ min: 0, max: bounds.maxSpan }),
    times: constantFrom(...bounds.bursts),
    decided: integer({ min: 0, max: 4 }),
    read: integer({ min: 0, max: 4 }),
    kind: constantFrom(...kinds),
    counted: boolean(),
    instance: integer({ min: -1, max: 1 }),
  });
  return record({
    family: constantFrom(...bounds.families),
    limit: constantFrom(...bounds.limits),
    countsRejects: boolean(),
    label: integer({ min: 0, max: 2 }),
    phase: integer({ min: 0, max: 23 }),
    capacity: integer({ min: 1, max: 12 }),
    level: integer({ min: 0, max: 4 }),
    batch: constantFrom(1000, 2000, 6000, 12_000),
    weigh: constantFrom("floor" as const, "exact" as const, "ceil" as const),
    wholeSeconds: boolean(),
    restarts: constantFrom(false, false, true),
    gridMs: constantFrom(...bounds.grids),
    lateRead: boolean(),
    rounds: constantFrom(false, false, false, true),
    before: constantFrom(0 as const, 1 as const),
    skewMs: constantFrom(...bounds.skews),
    limiterAheadMs: constantFrom(0, 0, 0, -900, 900),
    epochShiftMs: integer({ min: 0, max: 59 }),
    roundReset: constantFrom("ceil" as const, "floor" as const, "round" as const),
    steps: array(step, { minLength: 2, maxLength: bounds.maxSteps }),
  }).map((drawn): Schedule => {
    const batchMs = drawn.family === "batch-refill" ? Math.min(drawn.batch, windowMs) : 0;
    // A bucket that cannot hold one batch grants less than its limit.
    const portion = Math.ceil((drawn.limit * batchMs) / windowMs);
    const capacity = Math.max(1, portion, Math.ceil((drawn.limit * drawn.capacity) / 12));
    return {
      gridMs: drawn.gridMs,
      lateRead: drawn.lateRead,
      before: drawn.before,
      // The remaining number is rounded only if whole steps leave a few of them.
      rounding: drawn.rounds && drawn.limit >= 20 ? 5 : 1,
      skewMs: drawn.skewMs,
      limiterAheadMs: drawn.limiterAheadMs,
      epochShiftMs: drawn.epochShiftMs * 1000,
      roundReset: drawn.roundReset,
      steps: drawn.steps,
      options: {
        family: drawn.family,
        limit: drawn.limit,
        windowMs,
        countsRejects: drawn.countsRejects,
        label: drawn.label,
        phaseMs: (drawn.phase * windowMs) / 24,
        capacity,
        startLevel: (capacity * drawn.level) / 4,
        batchMs,
        stepMs: drawn.wholeSeconds ? 1000 : 1,
        weigh: drawn.weigh,
        restarts: drawn.restarts,
      },
    };
  });
}

/** Runs the schedule: decisions and readings in the order of their instants, those of one instant in the order of the requests. */
export function play(schedule: Schedule, epochMs: number): readonly Answer[] {
  const { options, gridMs, steps, before, rounding, lateRead } = schedule;
  const model = createModel(options);
  const answers: Answer[] = [];
  const events: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  let state = model.start;
  let sentMs = 0;
  const requests = steps.flatMap((step) =>
    Array.from({ length: step.times }, (_, copy) => (copy === 0 ? step : { ...step, gap: 0 })),
  );
  requests.forEach((step, index) => {
    sentMs += step.gap * gridMs;
    const spanMs = step.span * gridMs;
    const begin = sentMs;
    const decidedMs = begin + (spanMs * step.decided) / 4;
    const readMs = lateRead ? decidedMs + ((begin + spanMs - decidedMs) * step.read) / 4 : decidedMs;
    const skewMs = step.instance * schedule.skewMs;
    const now = (ms: number): number => epochMs + ms + skewMs;
    const seq = index + 1;
    const answer = { seq, sentMs: begin, headersMs: begin + spanMs, skewMs, decidedMs };
    if (step.kind !== "plain") {
      const lost = step.kind === "lost";
      const untilMs = lost ? Number.POSITIVE_INFINITY : answer.headersMs;
      if (step.counted)
        events.push({ atMs: decidedMs, order: 2 * index, run: () => (state = model.charge(state, now(decidedMs))) });
      answers[index] = { ...answer, headersMs: untilMs, outcome: step.kind, remaining: 0, resetMs: 0, waitMs: 0 };
      return;
    }
    let admitted = false;
    events.push({
      atMs: decidedMs,
      order: 2 * index,
      run: () => {
        const decision = model.decide(state, now(decidedMs));
        admitted = decision.admitted;
        state = decision.next;
        // A refusal is answered at once, from the state that refused.
        if (!lateRead || !admitted) read(decidedMs);
      },
    });
    if (lateRead) events.push({ atMs: readMs, order: 2 * index + 1, run: () => (admitted ? read(readMs) : undefined) });

    function read(atMs: number): void {
      const exact = Math.min(options.limit, model.remaining(state, now(atMs)) + (admitted ? before : 0));
      answers[index] = {
        ...answer,
        outcome: admitted ? "admitted" : "rejected",
        remaining: admitted ? Math.floor(exact / rounding) * rounding : 0,
        resetMs: model.resetMs(state, now(atMs)),
        waitMs: model.waitMs(state, now(atMs)),
      };
    }
  });
  events.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  for (const event of events) event.run();
  return answers;
}
