import { createRandom } from "../../src/core/random.ts";
import { clockErrorMs, createClockInterval } from "../../src/features/agents/clock/clock-interval.ts";
import { createLease, leaseMs } from "../../src/features/agents/lease/lease.ts";
import { createInbox } from "../../src/features/agents/messages/inbox.ts";
import { createOutbox } from "../../src/features/agents/messages/outbox.ts";

/**
 * The control plane with many agents, in virtual time: the leases, clock intervals, outboxes and inboxes of the product, a broker and a
 * coordinator that do one thing after the other, at the costs that bench/agents/agents.bench.ts measured.
 *
 *     npx tsx bench/agents/simulation.ts [agents ...]
 */

/** Processor time: of a command at the broker, of the coordinator for a report or a question, of looking at one lease. */
const commandMs = 0.016;
const messageMs = 0.05;
const lookMs = 0.001;
const wayMs = { least: 0.2, spread: 1 };
const seconds = 30;
const recordsPerSecond = 100;
const bytesOfRecord = 56;
const budgetPerAgent = 100 * seconds;

class World {
  nowMs = 0;
  readonly #heap: { readonly atMs: number; readonly act: () => void }[] = [];

  at(atMs: number, act: () => void): void {
    const heap = this.#heap;
    heap.push({ atMs, act });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (heap[parent]!.atMs <= heap[child]!.atMs) break;
      [heap[parent], heap[child]] = [heap[child]!, heap[parent]!];
      child = parent;
    }
  }

  every(ms: number, fromMs: number, act: () => void): void {
    const again = (): void => {
      act();
      this.at(this.nowMs + ms, again);
    };
    this.at(fromMs, again);
  }

  run(untilMs: number): void {
    for (let next = this.#take(); next !== undefined && next.atMs <= untilMs; next = this.#take()) {
      this.nowMs = next.atMs;
      next.act();
    }
  }

  #take(): { readonly atMs: number; readonly act: () => void } | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    heap[0] = last;
    for (let parent = 0; ;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < heap.length && heap[child]!.atMs < heap[least]!.atMs) least = child;
      }
      if (least === parent) return first;
      [heap[parent], heap[least]] = [heap[least]!, heap[parent]!];
      parent = least;
    }
  }
}

/** Does one thing after the other. */
class Server {
  freeMs = 0;
  busyMs = 0;
  longestWaitMs = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  serve(costMs: number, done: () => void): void {
    const beginMs = Math.max(this.#world.nowMs, this.freeMs);
    this.longestWaitMs = Math.max(this.longestWaitMs, beginMs - this.#world.nowMs);
    this.freeMs = beginMs + costMs;
    this.busyMs += costMs;
    this.#world.at(this.freeMs, done);
  }
}

/** `stallMs`: the broker stands still for so long in the middle. */
function simulate(agents: number, stallMs: number) {
  const world = new World();
  const broker = new Server(world);
  const coordinator = new Server(world);
  const random = createRandom(agents);
  const way = (): number => wayMs.least + wayMs.spread * random.next();
  const bound = budgetPerAgent * agents;
  let aliveUntilMs = leaseMs;
  let granted = 0;
  let [leastLeftMs, worstClockMs, mostHeld, outside, lost] = [Infinity, 0, 0, 0, 0];
  world.every(500, 0, () => {
    world.at(world.nowMs + way(), () =>
      broker.serve(commandMs + lookMs * agents, () => {
        aliveUntilMs = world.nowMs + leaseMs;
      }),
    );
  });
  if (stallMs > 0) world.at((1000 * seconds) / 2, () => broker.serve(stallMs, () => {}));
  const records = "x".repeat(Math.round((bytesOfRecord * recordsPerSecond) / 5));
  for (let agent = 0; agent < agents; agent += 1) {
    const skewMs = 3_600_000 * (2 * random.next() - 1);
    const drift = 1 + 0.0005 * (2 * random.next() - 1);
    const here = (): number => skewMs + world.nowMs * drift;
    const lease = createLease(here);
    const clock = createClockInterval();
    const inbox = createInbox(() => {});
    const outbox = createOutbox({
      mostBytes: 64 * 1_048_576,
      send: (chunk) =>
        world.at(world.nowMs + way(), () =>
          broker.serve(commandMs, () =>
            world.at(world.nowMs + way(), () => coordinator.serve(messageMs, () => inbox.take(chunk))),
          ),
        ),
    });
    const call = (act: () => void, answer: () => void): void =>
      world.at(world.nowMs + way(), () =>
        broker.serve(commandMs, () => {
          act();
          world.at(world.nowMs + way(), answer);
        }),
      );
    let untilMs = 0;
    const renew = (): void => {
      const askedMs = here();
      let grantMs = 0;
      call(
        () => (grantMs = Math.min(leaseMs, aliveUntilMs - world.nowMs)),
        () => {
          if (lease.holds() || untilMs === 0) leastLeftMs = Math.min(leastLeftMs, untilMs === 0 ? Infinity : untilMs - here());
          lease.extend(askedMs, grantMs);
          untilMs = askedMs + grantMs;
        },
      );
    };
    const ask = (): void => {
      const askedMs = here();
      call(
        () => {},
        () =>
          coordinator.serve(messageMs, () => {
            const takenMs = world.nowMs;
            call(
              () => {},
              () => {
                clock.observe({ askedMs, heardMs: here(), takenMs, answeredMs: takenMs });
                const known = clock.at(here())!;
                const offsetMs = world.nowMs - here();
                if (offsetMs < known.lowMs || offsetMs > known.highMs) outside += 1;
                // The first exchanges are for choosing the offset.
                if (world.nowMs > 3000)
                  worstClockMs = Math.max(worstClockMs, clockErrorMs(known, (known.lowMs + known.highMs) / 2));
                outbox.acknowledge(inbox.received);
              },
            );
          }),
      );
    };
    const draw = (): void =>
      call(
        () => {
          granted += Math.min(recordsPerSecond, bound - granted);
        },
        () => {},
      );
    const from = 1000 * random.next();
    world.every(500, from, renew);
    world.every(1000, from + 10, ask);
    world.every(1000, from + 20, draw);
    world.every(200, from + 30, () => {
      outbox.post(records);
      mostHeld = Math.max(mostHeld, outbox.heldBytes);
    });
    world.at(1000 * seconds - 1, () => {
      if (!lease.holds()) lost += 1;
    });
  }
  world.run(1000 * seconds);
  return { broker, coordinator, leastLeftMs, worstClockMs, mostHeld, outside, lost, overBudget: Math.max(0, granted - bound) };
}

const wanted = process.argv.slice(2).map(Number);
const heads = [
  "agents",
  "stall s",
  "broker %",
  "coord. %",
  "wait ms",
  "lease left ms",
  "clock ms",
  "held kB",
  "lost",
  "outside",
  "over",
];
process.stdout.write(`${heads.map((head) => head.padStart(14)).join("")}\n`);
for (const agents of wanted.length > 0 ? wanted : [100, 1000, 2000]) {
  for (const stallMs of [0, 2000, 4000]) {
    const seen = simulate(agents, stallMs);
    const percent = ({ busyMs }: Server): string => ((100 * busyMs) / (1000 * seconds)).toFixed(0);
    const cells = [
      agents,
      stallMs / 1000,
      percent(seen.broker),
      percent(seen.coordinator),
      seen.broker.longestWaitMs.toFixed(1),
      seen.leastLeftMs.toFixed(0),
      seen.worstClockMs.toFixed(1),
      (seen.mostHeld / 1024).toFixed(1),
      seen.lost,
      seen.outside,
      seen.overBudget,
    ];
    process.stdout.write(`${cells.map((cell) => String(cell).padStart(14)).join("")}\n`);
  }
}
