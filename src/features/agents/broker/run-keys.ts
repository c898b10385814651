/** Names of a run at the broker. The part in braces keeps them on one node of a cluster. */
export interface RunKeys {
  readonly run: string;
  readonly coordinator: string;
  readonly lease: (agent: number) => string;
  /** Streams: from agents to the coordinator, and from anybody to all agents. */
  readonly up: string;
  readonly down: string;
  /** Set of places that may be borrowed, and who holds those that were. */
  readonly spare: string;
  readonly held: string;
  /** Channels of clock exchanges. */
  readonly ask: string;
  readonly answer: (agent: number) => string;
}

export function runKeys(prefix: string, runId: string): RunKeys {
  const base = `${prefix}:{${runId}}`;
  return {
    run: `${base}:run`,
    coordinator: `${base}:coordinator`,
    lease: (agent) => `${base}:lease:${agent}`,
    up: `${base}:up`,
    down: `${base}:down`,
    spare: `${base}:spare`,
    held: `${base}:held`,
    ask: `${base}:ask`,
    answer: (agent) => `${base}:answer:${agent}`,
  };
}
