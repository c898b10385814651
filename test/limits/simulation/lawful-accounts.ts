import type { Manifest } from "../../../src/core/manifest.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { AccountPolicies } from "./account-service.ts";
import { lawfulBursts } from "./burst-gates.ts";
import { simulatedManifest } from "./exam.ts";
import { lawfulLimiters } from "./lawful-limiters.ts";
import { cycles, lawfulSpends } from "./spend-accounts.ts";
import { lawfulTokens } from "./token-gates.ts";

export type AccountKind = "burst" | "tokens" | "spend";

/** An account that keeps its limits; what the specification leaves open beside its reading is drawn from the seed. */
export interface LawfulAccount {
  readonly id: string;
  readonly kind: AccountKind;
  create(seed: number): AccountPolicies;
}

/** Around the instant at which the simulation begins; what was spent before lies days back. */
const openedMs = 1_763_700_000_000 - 9 * 86_400_000;

function common(random: Random): AccountPolicies {
  return {
    requests: lawfulLimiters[0]!.create(600, 60_000),
    burst: null,
    tokens: null,
    spend: null,
    propagationMs: [0, 300, propagationSeconds * 1000][random.integer(0, 2)]!,
    hint: (["both", "header", "body"] as const)[random.integer(0, 2)]!,
  };
}

const propagationSeconds = 5;

export const lawfulAccounts: readonly LawfulAccount[] = [
  ...lawfulBursts.map((way): LawfulAccount => ({
    id: way.id,
    kind: "burst",
    create: (seed) => ({ ...common(createRandom(seed).fork("account")), burst: way.create() }),
  })),
  ...lawfulTokens.map((way): LawfulAccount => ({
    id: way.id,
    kind: "tokens",
    create: (seed) => {
      const random = createRandom(seed).fork("account");
      const policies = common(random);
      const limit = [1000, 1500, 3000, 12_000][random.integer(0, 3)]!;
      const embeddings = (["own", "own", "with-chat", "uncounted"] as const)[random.integer(0, 3)]!;
      return { ...policies, tokens: { way, limit, embeddings } };
    },
  })),
  ...lawfulSpends.flatMap((way) =>
    cycles.map((cycle): LawfulAccount => ({
      id: `${way.id}, ${cycle.id}`,
      kind: "spend",
      create: (seed) => {
        const random = createRandom(seed).fork("account");
        const opening = {
          key: "spendA",
          keyCents: [0, 0, 37.5, 900][random.integer(0, 3)]!,
          othersCents: [0, 2500][random.integer(0, 1)]!,
          atMs: openedMs,
        };
        const imageCents = [2, 3.7, 4, 8][random.integer(0, 3)]!;
        const textCents = [0.01, 0.25, 0.4][random.integer(0, 2)]!;
        return { ...common(random), spend: { way, account: way.create(opening, cycle), imageCents, textCents } };
      },
    })),
  ),
];

const key = (id: string): Manifest["keys"][string] => ({ secret: "", id, createdAtMs: null });

const keysOf: Readonly<Record<AccountKind, readonly string[]>> = {
  burst: ["examBurst", "secondary"],
  tokens: ["examTokens"],
  spend: ["spendA", "spendB", "spendAdmin"],
};

/** Everything is permitted, and time is real: nothing but waiting brings a cooldown to its end. */
export function accountManifest(kind: AccountKind): Manifest {
  const base = simulatedManifest(600);
  const unset = { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null };
  return {
    ...base,
    keys: Object.fromEntries(keysOf[kind].map((name) => [name, key(name)])),
    models: { chat: "chat-model", embedding: "embedding-model", transcription: "transcription-model" },
    permissions: { ...base.permissions, patchSettings: true, spendUpToCents: 1000 },
    restore: {
      keys: Object.fromEntries(keysOf[kind].map((name) => [name, unset])),
      account: { account_spend_cap: null },
    },
    propagationSeconds,
    control: null,
  };
}

/** That of bursts, with a key whose requests are queued. */
export function queueManifest(): Manifest {
  const base = accountManifest("burst");
  const unset = { burst_limit: null, cooldown_seconds: null, monthly_spend_cap: null };
  return {
    ...base,
    keys: { ...base.keys, examBurstQueue: key("examBurstQueue") },
    restore: { ...base.restore, keys: { ...base.restore.keys, examBurstQueue: unset } },
  };
}
