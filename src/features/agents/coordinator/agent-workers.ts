import { randomUUID } from "node:crypto";
import type { OnProgress } from "../../../core/progress.ts";
import { type CoordinatorLink, openCoordinatorLink } from "../broker/coordinator-link.ts";
import { openShareQueue, type ShareQueue } from "../broker/share-queue.ts";
import { targetDigest } from "../broker/target-digest.ts";
import type { SenderEnds } from "../../../run/workers/remote-senders.ts";
import { within } from "../broker/ask-broker.ts";
import { redactManifest } from "../../../config/redact-manifest.ts";
import type { AgentFacts } from "../../../load/ledger/ledger-line.ts";
import type { EarlyEnd } from "../../../load/samples/early-end.ts";
import { mostRecords } from "../../../load/samples/overflow.ts";
import { permittedRps } from "../../../load/plan/profile-blockers.ts";
import { allSent } from "../../../load/workers/all-sent.ts";
import type { WorkOrder, LoadWorkers } from "../../../load/workers/load-workers.ts";
import type { ShareResult } from "../../../load/ledger/share-result.ts";
import { sampleOfEach } from "../../../run/workers/load-sampler.ts";
import type { ToWorker } from "../../../run/workers/worker-messages.ts";
import { mergeProgress } from "../../../run/workers/merge-progress.ts";
import { createRateMeeting } from "../../../run/workers/rate-meeting.ts";
import type { ToAgent } from "../messages/agent-messages.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import { Changes } from "./changes.ts";
import type { ChosenAgents } from "./choose-agents.ts";
import { type Escrow, openEscrow } from "./escrow.ts";
import { FollowedAgent } from "./follow-agent.ts";
import { sealKey } from "../sealing/sealed-keys.ts";
import { splitPermitted } from "./split-permitted.ts";
import { watchLeases } from "./watch-leases.ts";
import { createAgentRecordWatch } from "./agent-record-watch.ts";

export interface AgentWorkersOptions extends SenderEnds {
  readonly chosen: ChosenAgents;
  /** Records that this machine holds, of all agents together. */
  readonly mostRecords?: number;
}

/** Between the moment that every agent is ready and the first instant: what this machine sent before is a second ago then. */
const startLeadMs = 1500;
const rateLeadMs = 500;
/** Time for agents to claim their shares, learn the clock and open connections. */
const readyWithinMs = 120_000;
/** Time for agents to end, beside what requests in flight may take. */
const endGraceMs = 10_000;

/** Agents on other machines that send a profile together: workers that are reached over the broker. */
export function createAgentWorkers(options: AgentWorkersOptions): LoadWorkers {
  let facts: readonly AgentFacts[] = [];
  return {
    count: options.chosen.cards.length,
    agents: () => facts,
    async measure(order) {
      const run = new AgentRun(options, order);
      try {
        return await run.measure();
      } finally {
        facts = run.facts();
      }
    },
  };
}

class AgentRun {
  readonly #options: AgentWorkersOptions;
  readonly #order: WorkOrder;
  readonly #agents: readonly FollowedAgent[];
  readonly #live: ReturnType<typeof mergeProgress>;
  readonly #meeting: ReturnType<typeof createRateMeeting>;
  readonly #say: OnProgress;
  readonly #sent: (agent: number) => void;
  #link: CoordinatorLink | null = null;
  #startMs: number | null = null;
  #ready = 0;
  #number = 0;
  #refusal: string | null = null;
  readonly #changes = new Changes();

  constructor(options: AgentWorkersOptions, order: WorkOrder) {
    this.#options = options;
    this.#order = order;
    const { cards } = options.chosen;
    this.#say = order.onProgress;
    this.#sent = allSent(cards.length, () => order.onSent?.());
    this.#live = mergeProgress(order.onProgress, cards.length);
    this.#meeting = createRateMeeting({
      workerCount: cards.length,
      sendAll: (message) => this.#sendAll(message),
      beginAt: () => order.clock.nowMs() + rateLeadMs,
    });
    const watch = createAgentRecordWatch(order);
    this.#agents = cards.map(
      (card, agent) =>
        new FollowedAgent({
          agent,
          card,
          profile: order.profile,
          ledger: order.ledger,
          on: {
            ready: () => {
              this.#ready += 1;
              this.#changes.announce();
            },
            refused: (reason) => {
              this.#refusal ??= `agent ${card.name} refuses: ${reason}`;
              this.#changes.announce();
            },
            progress: (event) => this.#live.report(agent, event),
            exchange: options.onExchange,
            op: options.onOp,
            passive: options.onPassive,
            record: () => this.#stopAll(watch.count()),
            judged: (record, stalls) => this.#stopAll(watch.judge(record, stalls)),
            rateReady: () => this.#meeting.ready(),
            rateProbed: (probed) => this.#meeting.probed(probed),
            sent: () => this.#sent(agent),
            measured: () => this.#changes.announce(),
            lost: (reason) => this.#lose(agent, reason),
          },
        }),
    );
  }

  facts(): readonly AgentFacts[] {
    return this.#agents.map((agent) => agent.facts());
  }

  /** Throws a RangeError when the agents cannot send the profile; then nothing was sent. */
  async measure(): Promise<readonly ShareResult[]> {
    const { chosen, counters, version, seq } = this.#options;
    const order = this.#order;
    const { cards, broker } = chosen;
    const permitted = splitPermitted(order, cards.length);
    const escrow = openEscrow(counters, order.manifest.budget);
    const runId = randomUUID();
    const queues: ShareQueue[] = [];
    const ended = new AbortController();
    const interrupt = (): void => this.#sendAll({ kind: "interrupt" });
    let link: CoordinatorLink | null = null;
    try {
      // Loading the package keeps the loop busy: a lease would run out meanwhile.
      for (const card of cards) queues.push(await openShareQueue(broker, card.id));
      link = await openCoordinatorLink(
        {
          broker,
          runId,
          agents: cards.length,
          nowMs: () => order.clock.nowMs(),
          onUp: (agent, token, chunk) => this.#agents[agent]?.take(token, chunk),
          acknowledged: (agent) => this.#agents[agent]?.received ?? 0,
        },
        { bounds: escrow.bounds, sparePlaces: permitted.sparePlaces },
      ).catch((error: unknown) => {
        throw new RangeError(`the broker: ${error instanceof Error ? error.message : String(error)}`);
      });
      this.#link = link;
      watchLeases({
        link,
        signal: ended.signal,
        onLost: (agent, reason) => this.#lose(agent, reason),
        onAllLost: (reason) => this.#loseAll(reason),
      });
      const common = {
        runId,
        agents: cards.length,
        version,
        target: targetDigest(order.manifest.target.baseUrl),
        profile: order.profile,
        manifest: redactManifest(order.manifest),
        seed: order.seed,
        trace: order.trace,
        ownPerSecond: permitted.ownPerSecond,
        borrows: permitted.sparePlaces > 0,
        lastSeq: Atomics.load(seq, 0),
        mostRecords: Math.floor((this.#options.mostRecords ?? mostRecords) / cards.length),
        evidence: sampleOfEach(this.#options.evidence, cards.length),
        wallAtZeroMs: order.clock.wallMs() - order.clock.nowMs(),
      };
      for (const [agent, queue] of queues.entries()) {
        await within(5000, queue.add(this.#orderOf(agent, common)));
      }
      order.signal.addEventListener("abort", interrupt, { once: true });
      await this.#start();
      await this.#end();
      this.#live.end();
      const shares = this.#agents.map((agent) => agent.share(this.#startMs ?? order.clock.nowMs()));
      await this.#settle(link, escrow, shares);
      // This machine sends its next request a second after the last one of the agents.
      if (permittedRps(order.manifest) !== null && !order.signal.aborted) await order.clock.sleep(1100);
      return shares;
    } catch (error) {
      // The requests that agents sent until then are not known.
      if (this.#startMs !== null) escrow.lost(null, 0);
      throw error;
    } finally {
      order.signal.removeEventListener("abort", interrupt);
      escrow.close();
      ended.abort();
      await Promise.all(queues.map((queue) => within(2000, queue.close()).catch(() => undefined)));
      await link?.close();
    }
  }

  #orderOf(agent: number, common: Omit<AgentOrder, "agent" | "sealedKeys">): AgentOrder {
    const { cards, sealed = false } = this.#options.chosen;
    const card = cards[agent];
    const { manifest, profile } = this.#order;
    const sealedKeys = sealed && card !== undefined ? sealKey(manifest, profile.key, card, { ...common, agent }) : null;
    return { ...common, agent, sealedKeys };
  }

  #stopAll(reason: EarlyEnd | null): void {
    if (reason !== null) this.#sendAll({ kind: "stop", reason });
  }

  #sendAll(message: ToWorker): void {
    this.#number += 1;
    const json = JSON.stringify({ ...message, number: this.#number } satisfies ToAgent);
    this.#link?.sendAll(json).catch(() => undefined);
  }

  #lose(agent: number, reason: string): void {
    const one = this.#agents[agent];
    if (one === undefined || one.over) return;
    one.lose(reason);
    this.#sent(agent);
    this.#link?.revoke(agent).catch(() => undefined);
    this.#say({ kind: "note", text: `agent ${one.card.name} was lost: ${reason}` });
    this.#sendAll({ kind: "stop", reason: { kind: "agent", words: `agent ${one.card.name} was lost` } });
    this.#changes.announce();
  }

  #loseAll(reason: string): void {
    for (const agent of this.#agents.keys()) this.#lose(agent, reason);
  }

  async #start(): Promise<void> {
    const { clock, signal } = this.#order;
    const lost = (): FollowedAgent | undefined => this.#agents.find((agent) => agent.lost !== null);
    const decided = (): boolean =>
      this.#ready === this.#agents.length || this.#refusal !== null || lost() !== undefined || signal.aborted;
    const inTime = await this.#changes.until(decided, readyWithinMs);
    if (signal.aborted) {
      this.#sendAll({ kind: "interrupt" });
      return;
    }
    const gone = lost();
    const problem =
      this.#refusal ??
      (gone === undefined ? null : `agent ${gone.card.name} was lost before the start: ${gone.lost ?? ""}`) ??
      (inTime ? null : `${this.#ready} of ${this.#agents.length} agents were ready within ${readyWithinMs / 1000} s`);
    if (problem !== null) {
      this.#sendAll({ kind: "stop", reason: { kind: "agent", words: problem } });
      throw new RangeError(`${problem}; nothing was sent`);
    }
    this.#startMs = clock.nowMs() + startLeadMs;
    this.#sendAll({ kind: "start", startMs: this.#startMs });
  }

  /** Until every agent has reported its end or is lost. */
  async #end(): Promise<void> {
    const over = (): boolean => this.#agents.every((agent) => agent.over);
    const stopping = (): boolean => this.#agents.some((agent) => agent.over) || this.#order.signal.aborted;
    await this.#changes.until(stopping, Infinity);
    // Shares of one schedule end together; what is in flight has its time.
    const graceMs = 2000 * this.#order.profile.timeoutSeconds + endGraceMs;
    if (!(await this.#changes.until(over, graceMs))) this.#loseAll(`it did not end within ${graceMs / 1000} s of the others`);
  }

  async #settle(link: CoordinatorLink, escrow: Escrow, shares: readonly ShareResult[]): Promise<void> {
    const { seq, onTransportRaces } = this.#options;
    for (const [index, agent] of this.#agents.entries()) {
      const { measured } = agent;
      if (measured === null) {
        const drawn = await within(2000, link.drawn(index)).catch(() => null);
        const sent = shares[index]?.records.filter((record) => record.outcome !== "not-sent").length ?? 0;
        escrow.lost(drawn, sent);
        continue;
      }
      escrow.spent(measured.spent);
      onTransportRaces(measured.transportRaces);
      if (measured.lastSeq > Atomics.load(seq, 0)) Atomics.store(seq, 0, measured.lastSeq);
    }
  }
}
