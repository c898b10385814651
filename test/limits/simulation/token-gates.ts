/** The tokens that a chat request needs, as the service counts them. */
export interface TokenDemand {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The most tokens that the request permits the answer. */
  readonly maxTokens: number;
}

export interface TokenReading {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** Charges of one request in the order in which they happen. */
export interface TokenCharges {
  /** With the decision. */
  readonly atStart: number;
  /** When the answer has ended; negative: what was set aside and not used. */
  readonly atEnd: number;
  /** How long after its end the correction is counted, ms. */
  readonly lagMs: number;
}

/** One lawful way to count tokens: where the window lies and when a request is charged (O7). */
export interface LawfulTokens {
  readonly id: string;
  create(limit: number): TokenCounter;
  charges(demand: TokenDemand): TokenCharges;
  /** A request that needs more than remains is refused, or only one that meets nothing. */
  readonly refusesBy: "need" | "nothing-left";
  /** Reading in the head of an answer: before or after the charge at the end. Streams never show the latter. */
  readonly headShows: "start" | "end";
  /** Readings are rounded down to this. */
  readonly step?: number;
}

export interface TokenCounter {
  add(nowMs: number, tokens: number): void;
  read(nowMs: number): TokenReading;
  /** How long until so many remain if nothing else is charged, ms: what a refusal promises. */
  waitMs(nowMs: number, needed: number): number;
}

const minuteMs = 60_000;

function windowCounter(limit: number, fromFirst: boolean): TokenCounter {
  let startMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  const roll = (now: number): void => {
    const start = fromFirst ? (now - startMs < minuteMs ? startMs : now) : Math.floor(now / minuteMs) * minuteMs;
    if (start <= startMs) return;
    startMs = start;
    used = 0;
  };
  return {
    add: (now, tokens) => {
      roll(now);
      used = Math.max(0, used + tokens);
    },
    read: (now) => {
      roll(now);
      return { limit, remaining: Math.max(0, limit - used), resetMs: startMs + minuteMs };
    },
    waitMs: (now) => startMs + minuteMs - now,
  };
}

function logCounter(limit: number): TokenCounter {
  let log: { readonly atMs: number; readonly tokens: number }[] = [];
  return {
    add: (atMs, tokens) => void log.push({ atMs, tokens }),
    read: (now) => {
      log = log.filter(({ atMs }) => atMs > now - minuteMs);
      const used = log.reduce((sum, { tokens }) => sum + tokens, 0);
      return { limit, remaining: Math.max(0, Math.min(limit, limit - used)), resetMs: (log[0]?.atMs ?? now) + minuteMs };
    },
    waitMs: (now, needed) => {
      let left = limit - log.reduce((sum, { tokens }) => sum + tokens, 0);
      const leaving = log.toSorted((one, other) => one.atMs - other.atMs);
      const last = leaving.find(({ tokens }) => (left += tokens) >= needed) ?? leaving.at(-1);
      return (last?.atMs ?? now) + minuteMs - now;
    },
  };
}

function bucketCounter(limit: number, label: "full" | "next"): TokenCounter {
  let level = limit;
  let atMs = Number.NEGATIVE_INFINITY;
  const rate = limit / minuteMs;
  const refill = (now: number): void => {
    if (Number.isFinite(atMs)) level = Math.min(limit, level + Math.max(0, now - atMs) * rate);
    atMs = Math.max(atMs, now);
  };
  return {
    add: (now, tokens) => {
      refill(now);
      level = Math.min(limit, level - tokens);
    },
    read: (now) => {
      refill(now);
      const missing = label === "full" ? limit - level : Math.max(0, 1 - level);
      return { limit, remaining: Math.max(0, Math.floor(level)), resetMs: now + missing / rate };
    },
    waitMs: (_now, needed) => Math.max(0, Math.min(needed, limit) - level) / rate,
  };
}

const counters: readonly (readonly [id: string, create: LawfulTokens["create"]])[] = [
  ["clock window", (limit) => windowCounter(limit, false)],
  ["window from the first", (limit) => windowCounter(limit, true)],
  ["log", logCounter],
  ["bucket, full again", (limit) => bucketCounter(limit, "full")],
  ["bucket, next token", (limit) => bucketCounter(limit, "next")],
];

const total = ({ promptTokens, completionTokens }: TokenDemand): number => promptTokens + completionTokens;

/** The most that an answer may cost at first, corrected `lagMs` after its end. */
const estimateFirst =
  (lagMs: number): LawfulTokens["charges"] =>
  (demand) => {
    const estimate = demand.promptTokens + demand.maxTokens;
    return { atStart: estimate, atEnd: total(demand) - estimate, lagMs };
  };

const charging: readonly Omit<LawfulTokens, "create">[] = [
  {
    id: "charged at once",
    charges: (demand) => ({ atStart: total(demand), atEnd: 0, lagMs: 0 }),
    refusesBy: "need",
    headShows: "start",
  },
  {
    id: "estimate, corrected at the end",
    charges: estimateFirst(0),
    refusesBy: "need",
    headShows: "start",
  },
  {
    id: "estimate, head after the correction",
    charges: estimateFirst(0),
    refusesBy: "need",
    headShows: "end",
  },
  {
    id: "charged at the end",
    charges: (demand) => ({ atStart: 0, atEnd: total(demand), lagMs: 0 }),
    refusesBy: "nothing-left",
    headShows: "end",
  },
  {
    id: "charged a second and a half after the end",
    charges: (demand) => ({ atStart: 0, atEnd: total(demand), lagMs: 1500 }),
    refusesBy: "nothing-left",
    headShows: "start",
  },
  {
    id: "estimate, corrected a second and a half after the end",
    charges: estimateFirst(1500),
    refusesBy: "need",
    headShows: "start",
  },
  {
    id: "prompt at once, answer at the end",
    charges: (demand) => ({ atStart: demand.promptTokens, atEnd: demand.completionTokens, lagMs: 0 }),
    refusesBy: "nothing-left",
    headShows: "start",
  },
  {
    id: "charged at once, rounded to tens",
    charges: (demand) => ({ atStart: total(demand), atEnd: 0, lagMs: 0 }),
    refusesBy: "need",
    headShows: "start",
    step: 10,
  },
];

export const lawfulTokens: readonly LawfulTokens[] = counters.flatMap(([name, create]) =>
  charging.map((mode) => ({ ...mode, id: `${name}, ${mode.id}`, create })),
);
