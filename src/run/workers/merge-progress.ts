import type { AnswerCounts, OnProgress, ProgressEvent } from "../../core/progress.ts";

type LoadEvent = Extract<ProgressEvent, { kind: "load" }>;

const noAnswers: AnswerCounts = { succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 };

export interface MergedProgress {
  readonly report: (index: number, event: LoadEvent) => void;
  /** Reports what came after the first worker had reported its last. */
  readonly end: () => void;
}

/** Reports the sum of all workers whenever the first one reports its own; percentiles are those of the worst worker. */
export function mergeProgress(onProgress: OnProgress, workerCount: number): MergedProgress {
  const latest: (LoadEvent | null)[] = Array.from({ length: workerCount }, () => null);
  let answers = noAnswers;
  const end = (): void => {
    const known = latest.filter((one) => one !== null);
    const [first] = known;
    if (first === undefined) return;
    const sum = (value: (one: LoadEvent) => number): number => known.reduce((total, one) => total + value(one), 0);
    const worst = (value: (one: LoadEvent) => number | null): number | null =>
      known.reduce<number | null>((most, one) => {
        const here = value(one);
        return here === null ? most : Math.max(most ?? here, here);
      }, null);
    onProgress({
      ...first,
      offeredPerSecond: sum((one) => one.offeredPerSecond),
      achievedPerSecond: sum((one) => one.achievedPerSecond),
      inFlight: sum((one) => one.inFlight),
      ttftP50: worst((one) => one.ttftP50),
      ttftMax: worst((one) => one.ttftMax),
      dispatchDelayMax: worst((one) => one.dispatchDelayMax),
      loopUtilization: worst((one) => one.loopUtilization) ?? 0,
      answers,
    });
    answers = noAnswers;
  };
  return {
    end,
    report(index, event) {
      latest[index] = event;
      answers = addAnswers(answers, event.answers ?? noAnswers);
      if (index === 0) end();
    },
  };
}

function addAnswers(one: AnswerCounts, other: AnswerCounts): AnswerCounts {
  return {
    succeeded: one.succeeded + other.succeeded,
    limited: one.limited + other.limited,
    clientErrors: one.clientErrors + other.clientErrors,
    serverErrors: one.serverErrors + other.serverErrors,
    unanswered: one.unanswered + other.unanswered,
  };
}
