import type { Manifest } from "../core/manifest.ts";
import { groupBy } from "../core/group-by.ts";
import { keyRoles } from "../core/key-roles.ts";
import { keyEntry } from "../core/key-entry.ts";
import { readPackage } from "../schemas/read-package.ts";
import type { Lack } from "../core/result/supply.ts";

/** The facts that a look at the target adds to the manifest. */
export interface InitialFacts {
  readonly found: Pick<Manifest, "models" | "limits" | "features">;
  /** The supplies without which a run with `found` and one key leaves rows unjudged. */
  readonly missing: readonly Lack[];
  /** Whether a key was there to look with. */
  readonly isKeyed: boolean;
  /** The most that `assay check` with this manifest uses, by its own plan. */
  readonly worst: { readonly requests: number; readonly tokens: number; readonly costUsd: number };
}

/** Room for a budget beyond the plan: repetitions are a part of it, further keys and models are not. */
const budgetRoom = 1.25;

/** The bounds that `assay init` writes: what its own plan needs, and never less than a first run of any service. */
export function initialBudget(worst: InitialFacts["worst"] | null): {
  readonly maxRequests: number;
  readonly maxTokens: number;
  readonly maxCostUsd: number;
} {
  const atLeast = (least: number, need: number | undefined, step: number): number =>
    Math.max(least, Math.ceil(((need ?? 0) * budgetRoom) / step) * step);
  return {
    maxRequests: atLeast(5_000, worst?.requests, 1_000),
    maxTokens: atLeast(500_000, worst?.tokens, 100_000),
    maxCostUsd: atLeast(5, worst?.costUsd, 1),
  };
}

/**
 * The manifest that `assay init` writes: it works at once with one key, every further capability explained and off. With
 * `facts` it holds what the target shows, and each comment says how many requirements a capability would add.
 */
export function initialManifest(baseUrl: string, facts: InitialFacts | null = null): string {
  const { models = null, limits = null, features = {} } = facts?.found ?? {};
  const missing = facts?.missing ?? [];
  const budget = initialBudget(facts?.worst ?? null);
  const quoted = (id: string | null | undefined): string => JSON.stringify(id ?? null);
  const number = (value: number | null | undefined): string => String(value ?? null);
  return `# yaml-language-server: $schema=./node_modules/${readPackage().name}/dist/schemas/config.schema.json
# One target: its address, keys and limits, and what assay may do to it. A check that needs a key or permission that is
# missing here is reported as untested, never as passed. Secrets stay in environment variables: write \${NAME}.

target:
  name: my-service
  baseUrl: ${JSON.stringify(baseUrl)}
  plan: null              # starter (60 requests per minute), pro (600) or null
  timeoutMs: 30000

keys:
  primary: \${ASSAY_API_KEY}
${facts === null ? exampleKeys : missingKeys(missing)}

models:                   # null: chosen from GET /v1/models and noted in the report
  chat: ${quoted(models?.chat)}
  embedding: ${quoted(models?.embedding)}
  transcription: ${quoted(models?.transcription)}

features: ${JSON.stringify(features)}              # ${facts === null ? "" : "false: the path was not found (404); "}for example: { images: false, transcriptions: false, tools: false, dimensions: 256 }

limits:
  requestsPerMinute: ${number(limits?.requestsPerMinute)} # ${facts === null ? "what the target declares; null: read from its headers" : "taken from x-ratelimit-limit-requests and -tokens of GET /v1/models; null: there was none"}
  tokensPerMinute: ${number(limits?.tokensPerMinute)}
  algorithm: null         # fixed-window, sliding-log, sliding-counter, token-bucket, batch-refill
  queueing: unknown       # queue, reject or unknown: what happens during a cooldown

permissions:              # what assay may do; everything is off
  patchSettings: false    # change settings of keys that have an id and a restore entry
  exhaustLimits: false    # drive a key over its request limit
  spendUpToCents: 0       # money that reaching spend caps may cost; what a run may cost in all: budget
  fetchImages: false      # fetch generated images from the URLs in responses
  createKeyProbe: false   # POST /v1/keys, to see that keys cannot be created
  faultTriggers: false    # use the entries of faults below
  loadUpToRps: null       # most requests per second; null: a handful, and any number on this machine

# restore:                # values that assay restores after each change, also after a crash
#   keys: { lowLimit: { burst_limit: 60, cooldown_seconds: 10, monthly_spend_cap: 5000 } }
#   account: { account_spend_cap: 100000 }
# faults:                 # how to make the target fail once
#   "503": { headers: { x-fault: "503" } }
# foreignKeyId: key_of_another_workspace
${missingOthers(missing)}
propagationSeconds: 60
exclusive: false          # true: nobody else uses these keys during a run

budget: { maxRequests: ${budget.maxRequests}, maxTokens: ${budget.maxTokens}, maxCostUsd: ${budget.maxCostUsd} }${facts === null ? "" : " # a quarter more than the plan of assay check, or more"}

baseline: []              # known failures: { id: CHAT-021, reason: ticket 123, expires: 2027-01-31 }
`;
}

const exampleKeys = `  # A key whose variable is not set is left out. Give an id where settings of the key are to be changed.
  # secondary: \${ASSAY_SECONDARY_KEY}
  # admin: \${ASSAY_ADMIN_KEY}
  # readOnly: \${ASSAY_READ_ONLY_KEY}
  # agentWrite: \${ASSAY_AGENT_WRITE_KEY}
  # expired: \${ASSAY_EXPIRED_KEY}
  # revoked: \${ASSAY_REVOKED_KEY}
  # pastDue: \${ASSAY_PAST_DUE_KEY}
  # noCredit: \${ASSAY_NO_CREDIT_KEY}
  # exhausted: \${ASSAY_EXHAUSTED_KEY}
  # Keys of their own for what changes settings or uses limits up, each optional: examSettings, examRequests and
  # examRequestsTwin, examTokens, examBurst and examBurstQueue, spendA, spendB and spendAdmin (one account), load.
  # examSettings: { secret: "\${ASSAY_EXAM_SETTINGS_KEY}", id: key_0456 }
  # lowLimit: { secret: "\${ASSAY_LOW_LIMIT_KEY}", id: key_0123 }`;

function missingKeys(missing: readonly Lack[]): string {
  const ofKeys = missing.flatMap(({ supply, ...lack }) =>
    supply.kind === "key" || supply.kind === "key-id" ? [{ ...lack, name: supply.name, isId: supply.kind === "key-id" }] : [],
  );
  const lines = [...groupBy(ofKeys, ({ name }) => name)].flatMap(([name, entries]) => {
    const what = keyRoles.find((role) => role.name === name)?.state ?? entries[0].what;
    return [
      `  # ${countOf(new Set(entries.flatMap(({ requirements }) => requirements)).size)}: ${what}`,
      `  # ${name}: ${keyEntry(
        name,
        entries.some(({ isId }) => isId),
      )}`,
    ];
  });
  return [
    "  # Further keys. The number says how many requirements need the key, alone or with other members; remove the # to use it.",
    ...lines,
  ].join("\n");
}

/** Comments for members other than keys. */
function missingOthers(missing: readonly Lack[]): string {
  const others = missing.filter(({ supply: { kind } }) => kind !== "key" && kind !== "key-id");
  if (others.length === 0) return "";
  const lines = others.map(({ member, what, requirements }) => `# ${member}: ${what} (${countOf(requirements.length)})`);
  return `\n# Other members that widen the scope, with the number of requirements that need them:\n${lines.join("\n")}\n`;
}

function countOf(count: number): string {
  return count === 1 ? "1 requirement" : `${count} requirements`;
}
