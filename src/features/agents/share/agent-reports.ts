import { createOutbox, type Outbox } from "../messages/outbox.ts";
import type { Chunk } from "../messages/chunk.ts";
import type { FromAgent } from "../messages/agent-messages.ts";

/** Reports of an agent, several in a chunk. */
export interface AgentReports extends Pick<Outbox, "acknowledge" | "repeat" | "unacknowledged"> {
  /** `now`: it does not wait for others. */
  readonly send: (message: FromAgent, now?: boolean) => void;
  readonly flush: () => void;
}

export interface AgentReportsOptions {
  readonly send: (chunk: Chunk) => void;
  /** Called when the coordinator takes so little that no more can be held. */
  readonly onFull: () => void;
}

/** Chunks that are not acknowledged are held; beyond this the coordinator cannot keep up, or cannot be reached. */
const mostHeldBytes = 64 * 1_048_576;
/** A chunk is posted when it is as large. */
const chunkCharacters = 262_144;

export function createAgentReports({ send, onFull }: AgentReportsOptions): AgentReports {
  const outbox = createOutbox({ send, mostBytes: mostHeldBytes });
  let waiting: string[] = [];
  let characters = 0;
  const flush = (): void => {
    if (waiting.length === 0) return;
    if (!outbox.post(`[${waiting.join(",")}]`)) {
      onFull();
      // Nothing is reported with a gap: what stands here is tried again, and bounded by the end of the share.
      return;
    }
    waiting = [];
    characters = 0;
  };
  return {
    flush,
    acknowledge: (number) => outbox.acknowledge(number),
    repeat: () => outbox.repeat(),
    get unacknowledged() {
      return outbox.unacknowledged + waiting.length;
    },
    send(message, now = false) {
      const json = JSON.stringify(message);
      waiting.push(json);
      characters += json.length;
      if (now || characters >= chunkCharacters) flush();
    },
  };
}
