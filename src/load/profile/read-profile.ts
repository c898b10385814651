import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDocument } from "yaml";
import { endpoints } from "../../core/exchange/endpoint.ts";
import { findYamlExcess } from "../../core/yaml-excess.ts";
import { isJsonObject } from "../../core/exchange/recorded-json.ts";
import type { SchemaProblem } from "../../core/schema-problem.ts";
import { compileSchema } from "../../schemas/validator.ts";
import type { Arrivals, LengthDistribution, LoadProfile, WorkloadItem } from "./load-profile.ts";
import type { Gate } from "../gates/gate.ts";
import { findGateProblems } from "../gates/find-gate-problems.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { readPrompts, rowOf } from "../workload/read-prompts.ts";
import { fitTrace } from "../arrivals/fit-trace.ts";
import { readTrace, type TraceEntry } from "../arrivals/read-trace.ts";

/** A profile cannot be used; the message lists every problem, one a line. Exit code 2. */
export class ProfileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ProfileError";
    this.problems = problems;
  }
}

/** Works in `src/` and in `dist/src/`: the build copies the folder beside the code. */
const folder = new URL("../../../suites/profiles/", import.meta.url);

/** Ids of the profiles that come with assay, sorted. */
export function builtInProfiles(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}

/** A profile with the trace that its arrivals name, if any. */
export interface LoadedProfile {
  readonly profile: LoadProfile;
  readonly trace: readonly TraceEntry[] | null;
}

/** Loads a built-in profile by id, or a file by its path (`.yaml`, `.yml`, `.json`). Throws ProfileError. */
export function loadProfile(name: string): LoadedProfile {
  const isFile = /\.(?:ya?ml|json)$/.test(name);
  if (!isFile && !builtInProfiles().includes(name)) {
    throw new ProfileError([`no profile named "${name}"; known are ${builtInProfiles().join(", ")}, or give a .yaml file`]);
  }
  const path = isFile ? resolve(name) : new URL(`${name}.yaml`, folder);
  const base = typeof path === "string" ? dirname(path) : dirname(fileURLToPath(path));
  const text = readText(path, name);
  const profile = fillPrompts(readProfile(text, name), base, name);
  const { arrivals } = profile;
  if (arrivals.kind !== "trace") return { profile, trace: null };
  try {
    const trace = readTrace(readText(resolve(base, arrivals.file), arrivals.file), arrivals.format, arrivals.blockTokens);
    return { profile: fitTrace(profile, trace, hasDuration(text)), trace };
  } catch (error) {
    if (error instanceof SyntaxError) throw new ProfileError([`${name}: ${arrivals.file}: ${error.message}`]);
    throw error;
  }
}

function hasDuration(text: string): boolean {
  return parseDocument(text).has("durationSeconds");
}

/** Reads the prompts of every item that names a file. */
function fillPrompts(profile: LoadProfile, base: string, name: string): LoadProfile {
  const workload = profile.workload.map((item) => {
    if (!("promptsFile" in item) || item.promptsFile === null) return item;
    const { rows, problems } = readPrompts(readText(resolve(base, item.promptsFile), item.promptsFile));
    if (problems.length > 0) throw new ProfileError(problems.map((problem) => `${name}: ${item.promptsFile}: ${problem}`));
    return Object.assign({}, item, { prompts: rows });
  });
  return { ...profile, workload };
}

let check: ((value: unknown) => readonly SchemaProblem[]) | null = null;

/** Reads a profile from YAML (or JSON) and fills in every default. Throws ProfileError with all problems at once. */
export function readProfile(text: string, name: string): LoadProfile {
  const value = readDocument(text, name);
  check ??= compileSchema("profile.schema");
  const problems = check(value)
    .filter((problem) => problem.keyword !== "if")
    .map((problem) => `${name}: ${describeProblem(problem)}`);
  const gates: Gate[] = [];
  for (const expression of isJsonObject(value) && Array.isArray(value["gates"]) ? value["gates"] : []) {
    if (typeof expression !== "string") continue;
    try {
      gates.push(parseGate(expression));
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new ProfileError([...new Set(problems)]);
  const profile = fillDefaults(value as ProfileFile, gates);
  const contradictions = findContradictions(profile).map((problem) => `${name}: ${problem}`);
  if (contradictions.length > 0) throw new ProfileError(contradictions);
  return profile;
}

function readDocument(text: string, name: string): unknown {
  const excess = findYamlExcess(text);
  if (excess !== null) throw new ProfileError([`${name}: ${excess}`]);
  try {
    const document = parseDocument(text, { uniqueKeys: true });
    if (document.errors.length > 0)
      throw new ProfileError(document.errors.map((error) => `${name}: ${error.message.split("\n")[0]}`));
    return document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    if (error instanceof ProfileError) throw error;
    // Aliases that unfold without end.
    throw new ProfileError([`${name}: not usable YAML: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function describeProblem(problem: SchemaProblem): string {
  const place = problem.pointer === "" ? "" : `${problem.pointer.slice(1).replaceAll("/", ".")}: `;
  if (problem.keyword === "additionalProperties") return `${place}unknown member "${problem.property ?? ""}"`;
  return `${place}${problem.message}`;
}

function findBurstContradictions({ bursts }: Extract<Arrivals, { kind: "bursts" }>): readonly string[] {
  const falls = bursts.some(({ at }, index) => at < (bursts[index - 1]?.at ?? 0));
  return falls ? ["arrivals: the instants of the bursts (at) must rise"] : [];
}

/** A cap is crossed by purchases of one price, and only where all of that is permitted. */
function findScenarioProblems({ limitScenario, needs, workload }: LoadProfile): readonly string[] {
  if (limitScenario !== "spend-cap") return [];
  const missing = (["patchSettings", "exhaustLimits", "spend"] as const).filter((need) => !needs.includes(need));
  const isOnePrice = workload.length === 1 && workload[0]?.endpoint === "images";
  return [
    ...(missing.length > 0 ? [`limitScenario: spend-cap needs ${missing.join(", ")} below needs`] : []),
    ...(isOnePrice ? [] : ["limitScenario: spend-cap buys one item of images, so that every request costs the same"]),
  ];
}

/** What a schema cannot say. */
function findContradictions(profile: LoadProfile): readonly string[] {
  const problems: string[] = [...findGateProblems(profile), ...findScenarioProblems(profile)];
  const { arrivals } = profile;
  if (arrivals.kind === "bisect" && arrivals.lowPerSecond >= arrivals.highPerSecond) {
    problems.push("arrivals: lowPerSecond must be below highPerSecond");
  }
  if (arrivals.kind === "spike" && arrivals.atSeconds + arrivals.forSeconds > profile.durationSeconds + profile.warmUpSeconds) {
    problems.push("arrivals: the spike ends after the profile");
  }
  if (
    arrivals.kind === "sweep" &&
    arrivals.ratesPerSecond.some((rate, index) => rate <= (arrivals.ratesPerSecond[index - 1] ?? 0))
  ) {
    problems.push("arrivals: ratesPerSecond must rise");
  }
  if (arrivals.kind === "bursts") problems.push(...findBurstContradictions(arrivals));
  const { ttftMs, tpotMs, userLatencyMs } = profile.slo;
  if ((arrivals.kind === "sweep" || arrivals.kind === "bisect") && ttftMs === null && tpotMs === null && userLatencyMs === null) {
    problems.push("slo: a search for the highest rate needs a service level");
  }
  if (arrivals.kind === "sessions" && profile.workload.some((item) => item.endpoint !== "chat")) {
    problems.push("workload: sessions hold chat only");
  }
  // It has no budget and sees a stream as one long answer.
  const free = profile.workload.length === 1 && profile.workload.every((item) => !endpoints[item.endpoint].billable);
  if (profile.engine === "autocannon" && (arrivals.kind !== "closed" || !free)) {
    problems.push("engine: autocannon drives closed loops of one endpoint that costs nothing (models, usage), nothing else");
  }
  for (const item of profile.workload) {
    for (const distribution of Object.values(item)) {
      if (isJsonObject(distribution) && Number(distribution["min"]) > Number(distribution["max"])) {
        problems.push(`workload: ${item.label}: min is above max`);
      }
    }
  }
  return problems;
}

type Length = number | LengthDistribution;
type Loose = Readonly<Record<string, unknown>>;
interface ProfileFile {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly arrivals: Loose & { readonly kind: Arrivals["kind"] };
  readonly durationSeconds?: number;
  readonly warmUpSeconds?: number;
  readonly workload: readonly (Loose & { readonly endpoint: WorkloadItem["endpoint"] })[];
  readonly key?: string;
  readonly engine?: LoadProfile["engine"];
  readonly workers?: LoadProfile["workers"];
  readonly timeoutSeconds?: number;
  readonly maxInFlight?: number;
  readonly retry?: Partial<LoadProfile["retry"]>;
  readonly slo?: Partial<LoadProfile["slo"]>;
  readonly abort?: Partial<LoadProfile["abort"]>;
  readonly needs?: LoadProfile["needs"];
  readonly limitScenario?: LoadProfile["limitScenario"];
}

function fillDefaults(file: ProfileFile, gates: readonly Gate[]): LoadProfile {
  return {
    id: file.id,
    title: file.title,
    description: file.description ?? "",
    arrivals: fillArrivals(file.arrivals),
    durationSeconds: file.durationSeconds ?? 30,
    warmUpSeconds: file.warmUpSeconds ?? 0,
    workload: file.workload.map(fillItem),
    key: file.key ?? "load",
    engine: file.engine ?? "assay",
    workers: file.workers ?? 1,
    timeoutSeconds: file.timeoutSeconds ?? 60,
    maxInFlight: file.maxInFlight ?? 10_000,
    retry: { max: 0, retryAfter: "obey", ...file.retry },
    slo: { ttftMs: null, tpotMs: null, userLatencyMs: null, ...file.slo },
    gates,
    abort: { errorRate: 0.5, windowSeconds: 5, minimum: 20, hopeless: false, ...file.abort },
    needs: file.needs ?? [],
    limitScenario: file.limitScenario ?? null,
  };
}

/** The schema has checked members and types; here only what may be left out is put in. */
function fillArrivals(arrivals: ProfileFile["arrivals"]): Arrivals {
  const defaults: Readonly<Partial<Record<Arrivals["kind"], Loose>>> = {
    ramp: { gaps: "poisson" },
    steps: { gaps: "poisson" },
    spike: { gaps: "poisson" },
    bursts: { spreadMs: 0, edgeMs: null },
    closed: { thinkMs: 0 },
    sweep: { gaps: "poisson" },
    bisect: { gaps: "poisson", maxProbes: 8 },
    trace: { speed: 1 },
  };
  const filled: Loose = { ...defaults[arrivals.kind], ...arrivals };
  if (arrivals.kind !== "sessions") return filled as unknown as Arrivals;
  return { ...filled, turns: length(filled["turns"]), thinkSeconds: length(filled["thinkSeconds"]) } as unknown as Arrivals;
}

const itemDefaults: Readonly<Record<WorkloadItem["endpoint"], Loose>> = {
  chat: {
    stream: true,
    promptTokens: 64,
    outputTokens: 32,
    sharedPrefixTokens: 0,
    tools: false,
    prompts: null,
    promptsFile: null,
    uniqueBeginnings: true,
  },
  embeddings: {
    inputTokens: 32,
    batch: 1,
    encodingFormat: "float",
    prompts: null,
    promptsFile: null,
    uniqueBeginnings: true,
  },
  images: { n: 1, size: "1024x1024", quality: "standard" },
  transcriptions: { audioSeconds: 3 },
  models: {},
  usage: { windowHours: 24, granularity: "hour" },
  "key-settings": {},
};

const lengthMembers: readonly string[] = ["promptTokens", "outputTokens", "inputTokens", "batch", "audioSeconds"];

function fillItem(item: ProfileFile["workload"][number]): WorkloadItem {
  const filled: Record<string, unknown> = { label: defaultLabel(item), weight: 1, ...itemDefaults[item.endpoint], ...item };
  for (const member of lengthMembers) if (member in filled) filled[member] = length(filled[member]);
  if (Array.isArray(filled["prompts"])) filled["prompts"] = filled["prompts"].map((prompt) => rowOf(String(prompt)));
  return filled as unknown as WorkloadItem;
}

function defaultLabel(item: ProfileFile["workload"][number]): string {
  if (item.endpoint !== "chat") return item.endpoint;
  return item["stream"] === false ? "chat" : "chat stream";
}

function length(value: unknown): LengthDistribution {
  const given = value as Length;
  if (typeof given === "number") return { kind: "fixed", value: given };
  return given.kind === "empirical" ? { ...given, weights: given.weights ?? null } : given;
}

function readText(path: string | URL, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ProfileError([`${name}: cannot be read (${error instanceof Error ? error.message.split(":")[0] : "unknown"})`]);
  }
}
