import type { AgentLink } from "../broker/agent-link.ts";
import type { Lease } from "../lease/lease.ts";

const renewEveryMs = 500;
const watchEveryMs = 100;

/** Asks for the lease again and again, and says when it is lost. The timers are for the caller to end. */
export function keepLease(options: {
  readonly link: Pick<AgentLink, "renew">;
  readonly lease: Lease;
  readonly nowMs: () => number;
  readonly onLost: () => void;
}): readonly NodeJS.Timeout[] {
  const { link, lease, nowMs, onLost } = options;
  let asking = false;
  const renew = async (): Promise<void> => {
    const askedAtMs = nowMs();
    try {
      const granted = await link.renew();
      if (granted > 0) lease.extend(askedAtMs, granted);
      else lease.drop("the broker grants it no longer");
    } catch {
      // Without an answer it runs out.
    } finally {
      asking = false;
    }
  };
  return [
    setInterval(() => {
      if (asking) return;
      asking = true;
      void renew();
    }, renewEveryMs),
    setInterval(() => {
      if (!lease.holds()) onLost();
    }, watchEveryMs),
  ];
}
