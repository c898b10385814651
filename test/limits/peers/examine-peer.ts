import { monitorEventLoopDelay } from "node:perf_hooks";
import { runExam } from "../../make/run-exam.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import type { PeerLimits, RunningPeer } from "./peer-service.ts";

export interface ExaminedPeer {
  readonly judgement: LimitsJudgement;
  readonly exchanges: readonly Exchange[];
  /** Longest time for which this process, and with it the limiter, was held up. */
  readonly heldUpMs: number;
}

/** No control plane, no settings: what is known of a strange service. */
export function peerManifest({ limit, windowMs }: PeerLimits, baseUrl: string): Manifest {
  const base = simulatedManifest(limit);
  return {
    ...base,
    target: { ...base.target, baseUrl, timeoutMs: 2 * windowMs },
    keys: {
      primary: { secret: "key-one", id: null, createdAtMs: null },
      secondary: { secret: "key-two", id: null, createdAtMs: null },
    },
    features: { windowSeconds: windowMs / 1000 },
    control: null,
  };
}

/** An exam in real time over real sockets. */
export async function examinePeer(
  peer: { readonly limits: PeerLimits; start(): Promise<RunningPeer> },
  signal: AbortSignal = new AbortController().signal,
  exam: ExamDepth = "short",
): Promise<ExaminedPeer> {
  const running = await peer.start();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const manifest = peerManifest(peer.limits, running.url);
  const clock = createRealClock();
  const exchanges: Exchange[] = [];
  const wire = createWire({ manifest, clock, onExchange: (exchange) => exchanges.push(exchange) });
  try {
    await runExam({ manifest, sender: wire, clock }, 1, { exam, signal });
    const heldUpMs = delay.max / 1e6;
    let judged: LimitsJudgement | null = null;
    // When it is asked for: to judge takes this process, and with it the limiters of other exams, some tenths of a second.
    return {
      exchanges,
      heldUpMs,
      get judgement() {
        return (judged ??= judgeLimits({ exchanges, manifest, strict: false }));
      },
    };
  } finally {
    delay.disable();
    await wire.close();
    await running.close();
  }
}
