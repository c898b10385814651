import type { Clock } from "../../core/clock.ts";
import type { Random } from "../../core/random.ts";
import { drawLength } from "../workload/draw-length.ts";
import type { LoadEngine } from "./load-engine.ts";
import type { ArrivalShape, LoopShape, ConversationsShape } from "../arrivals/arrival-kind.ts";
import type { ChatMessage } from "../profile/workload-item.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { Pacer } from "./pacer.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { noPlan } from "../workload/workload.ts";
import { abortionOf, isWaited } from "./waits.ts";

/** Bodies that are built before their instant, so that a send costs no serialization. */
const preparedAhead = 256;

export interface SendLoopInput {
  readonly engine: LoadEngine;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly random: Random;
  /** Start of the schedule on the run clock. */
  readonly startMs: number;
  /** Number of the first send, so that indices (and with them bodies) stay unique over the steps of a search. */
  readonly firstIndex: number;
  /** From one send to the next: the number of workers that share the schedule. */
  readonly indexStep: number;
  /** No later turn of a conversation begins after this instant. */
  readonly untilMs: number;
  /** Least time between two sends of a closed loop, which has no rate of its own; 0 for none. */
  readonly leastGapMs: number;
  /** Counts how conversations ended. */
  readonly conversations: ConversationTally;
}

export interface LoopInput extends SendLoopInput {
  /** Each request by a plan; absent: drawn from the workload. */
  readonly plan?: PlannedSend;
  /** Requests after which no slot sends again; absent: its time bounds the loop. */
  readonly most?: number;
  /** Asked once the time of the loop is up: milliseconds by which it goes on, 0 for none. */
  readonly extend?: (untilMs: number) => number;
}

/** Conversations that began, and those that came to an end. */
export interface ConversationTally {
  begun: number;
  completed: number;
  cancelled: number;
}

/**
 * Sends a schedule whatever the answers do. Resolves when the last send has left or the engine stopped; of
 * conversations also when the last one is over or their time is up.
 */
export async function sendOpenLoop(
  input: SendLoopInput,
  schedule: readonly PlannedSend[],
  shape: Exclude<ArrivalShape, LoopShape>,
): Promise<void> {
  const { engine, startMs, firstIndex, indexStep } = input;
  const indexOf = (position: number): number => firstIndex + indexStep * position;
  const timesMs = Float64Array.from(schedule, (planned) => startMs + planned.atMs);
  const prepare = (position: number): void => {
    const planned = schedule[position];
    if (planned !== undefined) engine.prepare(indexOf(position), planned);
  };
  for (let position = 0; position < Math.min(preparedAhead, schedule.length); position += 1) prepare(position);
  const talks: Promise<void>[] = [];
  await input.pacer.run(
    timesMs,
    (position) => {
      const planned = schedule[position];
      if (planned === undefined) return;
      const isTalk = shape.name === "conversations" && planned.session !== null;
      const sending = isTalk
        ? driveSession(input, planned, indexOf(position), shape)
        : engine.issue(indexOf(position), planned, startMs + planned.atMs);
      const ended = sending.then(nothing, (error: unknown) =>
        engine.stop({ kind: "fault", words: `fault of the harness: ${String(error)}` }),
      );
      if (shape.name === "conversations") talks.push(ended);
      prepare(position + preparedAhead);
    },
    engine.stopped,
  );
  // An interrupt must not wait for answers here.
  if (talks.length > 0)
    await Promise.race([Promise.all(talks), isWaited(input.clock, input.untilMs - input.clock.nowMs(), engine.stopped)]);
}

function nothing(): void {}

/**
 * One conversation: every turn is sent after the answer to the one before and carries the whole history. Turns of a trace state when,
 * and what they hold; a turn whose blocks are stated is a whole prompt and carries nothing.
 */
async function driveSession(
  input: SendLoopInput,
  planned: PlannedSend,
  index: number,
  { thinkSeconds }: ConversationsShape,
): Promise<void> {
  const { engine, clock, conversations } = input;
  const random = input.random.fork(`session/${planned.session ?? 0}`);
  let history: readonly ChatMessage[] = [];
  let intendedMs = input.startMs + planned.atMs;
  // Later turns are numbered apart from the schedule, so that every body of the run is its own.
  const indexOf = (turn: number): number => (turn === 0 ? index : index + 1_000_000 * turn);
  const planOf = (turn: number): PlannedSend => ({ ...(planned.later?.[turn - 1] ?? planned), turn: turn + 1 });
  conversations.begun += 1;
  for (let turn = 0; turn < planned.turns && !engine.stopped.aborted && intendedMs < input.untilMs; turn += 1) {
    const plan = planOf(turn);
    const answer = await engine.issue(indexOf(turn), plan, intendedMs, plan.blocks === undefined ? history : []);
    const outcome = answer?.record.outcome;
    // We cut it off ourselves: nothing failed.
    if (outcome === "interrupted") return;
    // Somebody who stops an answer goes on with what there was of it.
    if (answer === null || (outcome !== "ok" && outcome !== "left")) {
      conversations.cancelled += 1;
      for (let later = turn + 1; later < planned.turns; later += 1) engine.cancel(indexOf(later), planOf(later), intendedMs);
      return;
    }
    if (turn + 1 === planned.turns) {
      conversations.completed += 1;
      return;
    }
    history = [...answer.messages, { role: "assistant", content: answer.text }];
    const nowMs = clock.nowMs();
    const next = planned.later?.[turn];
    intendedMs =
      next === undefined
        ? nowMs + 1000 * drawLength(thinkSeconds, random)
        : Math.max(input.startMs + next.atMs, nowMs + (next.afterMs ?? 0));
    if (!(await isWaited(clock, intendedMs - nowMs, engine.stopped))) return;
  }
}

/**
 * Keeps `concurrency` requests in flight until `untilMs`; a slot sends again when it was answered, or later where the target
 * may not be sent more. Slots begin one after the other over the ramp: streams that begin at one instant also tick at one instant.
 */
export async function sendClosedLoop(input: LoopInput, { concurrency, thinkMs, rampMs }: LoopShape): Promise<void> {
  const { engine, clock, untilMs, indexStep, plan = noPlan } = input;
  let endMs = untilMs;
  let isFinal = false;
  /** The first slot that comes to the end asks for all. */
  const isOver = (atMs: number): boolean => {
    if (atMs < endMs) return false;
    const moreMs = isFinal ? 0 : (input.extend?.(endMs) ?? 0);
    isFinal = moreMs <= 0;
    endMs += moreMs;
    return atMs >= endMs;
  };
  let left = input.most ?? Infinity;
  let next = input.firstIndex;
  let nextStartMs = -Infinity;
  const pause = (ms: number): Promise<boolean> => isWaited(clock, ms, engine.stopped);
  const slot = async (number: number): Promise<void> => {
    const beginMs = input.startMs + (rampMs(untilMs - input.startMs) * number) / concurrency;
    // A request that is sent before the start would count as warm-up.
    if (!(await pause(beginMs - clock.nowMs()))) return;
    while (left > 0 && !engine.stopped.aborted && !isOver(clock.nowMs())) {
      if (input.leastGapMs > 0) {
        const startMs = Math.max(clock.nowMs(), nextStartMs);
        nextStartMs = startMs + input.leastGapMs;
        if (isOver(startMs) || !(await pause(startMs - clock.nowMs()))) return;
      }
      left -= 1;
      const index = next;
      next += indexStep;
      const pauseMs = (await occupy(engine, index, plan, clock.nowMs())) === "answered" ? thinkMs : Math.max(restMs, thinkMs);
      if (pauseMs > 0 && !(await pause(pauseMs))) return;
    }
  };
  // An interrupt must not wait for answers here: the engine cuts them off after its grace.
  const slots = Array.from({ length: concurrency }, (_, number) => slot(number));
  await Promise.race([Promise.all(slots), abortionOf(engine.stopped)]);
}

function isUnanswered({ outcome }: LoadRecord): boolean {
  return outcome === "transport-error" || outcome === "timed-out";
}

/** A held or dropped send returns at once: without a pause the slot would spin. */
const restMs = 10;

/** Resolves as soon as another request may follow: before this answer is read, unless it must be read to know that. */
function occupy(engine: LoadEngine, index: number, plan: PlannedSend, intendedMs: number): Promise<"answered" | "not answered"> {
  return new Promise((resolve, reject) => {
    engine
      .issue(index, plan, intendedMs, undefined, () => resolve("answered"))
      .then((answer) => resolve(answer === null || isUnanswered(answer.record) ? "not answered" : "answered"))
      .catch((error: unknown) => {
        engine.stop({ kind: "fault", words: `fault of the harness: ${String(error)}` });
        reject(error instanceof Error ? error : new Error(String(error)));
      });
  });
}
