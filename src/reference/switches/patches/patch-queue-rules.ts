import { lawfulQueueRules, type QueueRules } from "../../engine/burst/queue-rules.ts";
import type { Switchboard } from "../switch.ts";

export function patchQueueRules(switches: Switchboard): QueueRules {
  const lawful = lawfulQueueRules;
  let released = 0;
  return {
    looksAtMs: (opensAtMs, nowMs) => {
      if (switches.on("burst/queue-leaks-early")) return opensAtMs - (opensAtMs - nowMs) * 0.3;
      if (switches.on("burst/queue-waits-twice")) return opensAtMs + (opensAtMs - nowMs);
      return lawful.looksAtMs(opensAtMs, nowMs);
    },
    lets: (answer) => switches.on("burst/queue-leaks-early") || switches.on("burst/queue-releases-all") || lawful.lets(answer),
    takeNext: (waiting) => (switches.on("burst/queue-lifo") ? waiting.pop() : lawful.takeNext(waiting)),
    release: (goOn) => {
      released += 1;
      if (!switches.on("burst/queue-drops") || released % 2 === 1) lawful.release(goOn);
    },
  };
}
