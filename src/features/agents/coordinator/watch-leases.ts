import type { CoordinatorLink } from "../broker/coordinator-link.ts";
import { leaseMs, leaseRanOut } from "../lease/lease.ts";

const beatEveryMs = 500;

/** Keeps the coordinator alive at the broker and looks at the leases of all agents, until the signal aborts. */
export function watchLeases(options: {
  readonly link: Pick<CoordinatorLink, "beat">;
  readonly signal: AbortSignal;
  readonly onLost: (agent: number, reason: string) => void;
  readonly onAllLost: (reason: string) => void;
}): void {
  const { link, signal, onLost, onAllLost } = options;
  const claimed = new Set<number>();
  let heardMs = performance.now();
  let asking = false;
  const look = (left: readonly number[] | null): void => {
    if (left === null) {
      onAllLost("the broker was restarted, or has forgotten the run");
      return;
    }
    heardMs = performance.now();
    for (const [agent, ms] of left.entries()) {
      if (ms > 0) claimed.add(agent);
      else if (claimed.has(agent)) onLost(agent, leaseRanOut);
    }
  };
  const timer = setInterval(() => {
    if (performance.now() - heardMs > leaseMs) onAllLost("the broker does not answer");
    if (asking) return;
    asking = true;
    link
      .beat()
      .then(look)
      .catch(() => undefined)
      .finally(() => {
        asking = false;
      });
  }, beatEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
