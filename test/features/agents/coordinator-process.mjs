// A coordinator in a process of its own, to be killed: sends one profile by agents.
const from = (path) => import(new URL(`../../../src/${path}`, import.meta.url).href);

process.once("message", (message) => void coordinate(message));

async function coordinate({ broker, cards, manifest, profile, version }) {
  const [{ createAgentWorkers }, { createRealClock }, counters] = await Promise.all([
    from("features/agents/coordinator/agent-workers.ts"),
    from("wire/clock/real-clock.ts"),
    from("wire/budget/budget-counters.ts"),
  ]);
  const none = () => {};
  const workers = createAgentWorkers({
    chosen: { broker, cards },
    version,
    counters: counters.createLocalCounters(),
    seq: new Int32Array(new SharedArrayBuffer(4)),
    evidence: { first: 1, failed: 1 },
    onExchange: none,
    onOp: none,
    onPassive: none,
    onTransportRaces: none,
  });
  await workers.measure({
    profile,
    manifest,
    clock: createRealClock(),
    seed: 1,
    trace: null,
    signal: new AbortController().signal,
    onProgress: none,
  });
}
