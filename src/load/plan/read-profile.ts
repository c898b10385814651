import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { suggestWord } from "../../core/suggest-word.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import { describeFileProblem } from "../../core/file-problem.ts";
import { packageFolder } from "../../schemas/package-folder.ts";
import { readYaml } from "../../schemas/read-yaml.ts";
import type { Arrivals } from "../profile/arrivals.ts";
import type { LengthDistribution } from "../profile/length-distribution.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";
import type { ProfileFile } from "../profile/file/profile-file.ts";
import type { WorkloadFile } from "../profile/file/workload-file.ts";
import type { Length } from "../profile/file/length.ts";
import type { Gate } from "../profile/gate.ts";
import { defaultProbe } from "../profile/probe-policy.ts";
import { ProfileError } from "../profile/profile-error.ts";
import { findContradictions } from "./find-contradictions.ts";
import { fillWorkload } from "./fill-workload.ts";
import { profileContent } from "./profile-content.ts";
import { readText } from "./read-text.ts";
import { spreadProbe } from "./spread-probe.ts";
import { defaultScenario } from "../profile/limit-scenarios.ts";
import { nameGates } from "../gates/name-gates.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { resolveWhere } from "../gates/resolve-where.ts";
import { rowOf } from "../workload/read-prompts.ts";
import type { TraceFile } from "../arrivals/arrival-kind.ts";
import { strayLabels } from "../arrivals/trace.ts";
import { arrivalKinds, shapeOf } from "../arrivals/arrival-kinds.ts";
import type { TraceEntry } from "../arrivals/traces/trace-entry.ts";

const folder = new URL("suites/profiles/", packageFolder);

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
  const path = pathOf(name);
  return parseProfile(readText(path, name), { name, folder: dirname(path) });
}

/** The file of a profile as it was written. */
export function profileText(name: string): string {
  return readText(pathOf(name), name);
}

function pathOf(name: string): string {
  const isFile = /\.(?:ya?ml|json)$/.test(name);
  if (!isFile && !builtInProfiles().includes(name)) {
    const suggestion = suggestWord(name, builtInProfiles());
    const hint = suggestion === null ? "" : `${suggestion} `;
    throw new ProfileError([
      `no profile named "${name}"; ${hint}known are ${builtInProfiles().join(", ")}, or give a .yaml file`,
    ]);
  }
  return isFile ? resolve(name) : fileURLToPath(new URL(`${name}.yaml`, folder));
}

/** Reads a profile and the files that it names, which lie in `folder`. Throws ProfileError. */
export function parseProfile(
  text: string,
  { name, folder: base }: { readonly name: string; readonly folder: string },
): LoadedProfile {
  const { profile: read, trace } = fillFiles(text, name, base);
  // A trace may take longer than its file says.
  const profile = spreadProbe(read);
  return { profile: { ...profile, content: profileContent(profile, trace) }, trace };
}

function fillFiles(text: string, name: string, base: string): LoadedProfile {
  const profile = fillWorkload(readProfile(text, name), base, name);
  const shape = shapeOf(profile.arrivals);
  if (!("trace" in shape) || shape.trace === undefined) return { profile, trace: null };
  const { path: file } = shape.trace;
  try {
    const trace = shape.trace.read(readText(resolve(base, file), file));
    const { value } = readYaml(text, { file: name, schema: "profile.schema" });
    const stray = strayLabels(trace, profile.workload);
    if (stray.length > 0) {
      throw new ProfileError([
        `${name}: ${file}: no entry of the workload has the label ${stray.join(", ")}, and some have others of it`,
      ]);
    }
    return { profile: fitTrace(profile, shape.trace, trace, isJsonObject(value) && "durationSeconds" in value), trace };
  } catch (error) {
    if (error instanceof SyntaxError) throw new ProfileError([`${name}: ${file}: ${error.message}`]);
    throw error;
  }
}

/** Reads a profile from YAML (or JSON) and fills in every default. Throws ProfileError with all problems at once. */
export function readProfile(text: string, name: string): LoadProfile {
  const { value, problems, leftOut, problemAt } = readYaml(text, { file: name, schema: "profile.schema" });
  const found = [...problems];
  const gates: Gate[] = [];
  const expressions: readonly unknown[] = isJsonObject(value) && Array.isArray(value["gates"]) ? value["gates"] : [];
  for (const [index, expression] of expressions.entries()) {
    if (typeof expression !== "string") continue;
    try {
      gates.push(parseGate(expression));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      found.push(problemAt(["gates", String(index)], { message, expected: null, suggestion: null }));
    }
  }
  if (found.length > 0)
    throw new ProfileError(found.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0)).map(describeFileProblem), leftOut);
  const filled = fillDefaults(value as ProfileFile, gates);
  const profile = { ...filled, gates: resolveGates(filled, problemAt) };
  const contradictions = findContradictions(profile).map(({ path, message }) =>
    describeFileProblem(problemAt(path, { message, expected: null, suggestion: null })),
  );
  if (contradictions.length > 0) throw new ProfileError(contradictions);
  return spreadProbe(profile);
}

function resolveGates({ gates, workload }: LoadProfile, problemAt: ReturnType<typeof readYaml>["problemAt"]): readonly Gate[] {
  const problems: string[] = [];
  const resolved = gates.map((gate, index) => {
    try {
      return resolveWhere(gate, workload);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(describeFileProblem(problemAt(["gates", String(index)], { message, expected: null, suggestion: null })));
      return gate;
    }
  });
  if (problems.length > 0) throw new ProfileError(problems);
  return nameGates(resolved);
}

function fillDefaults(file: ProfileFile, gates: readonly Gate[]): LoadProfile {
  const { needs = [] } = file;
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
    cacheAudit: file.cacheAudit ?? false,
    ...(file.probe === undefined ? {} : { probe: { ...defaultProbe, ...file.probe } }),
    needs,
    limitScenario: file.limitScenario ?? defaultScenario(needs),
  };
}

/** The schema has checked members and types; here only what may be left out is put in. */
function fillArrivals(arrivals: ProfileFile["arrivals"]): Arrivals {
  const { defaults, lengths = [] } = arrivalKinds[arrivals.kind];
  const filled: Record<string, unknown> = { ...defaults, ...arrivals };
  for (const member of lengths) filled[member] = length(filled[member]);
  return filled as unknown as Arrivals;
}

const itemDefaults: Readonly<Record<WorkloadFile["endpoint"], object>> = {
  chat: {
    stream: true,
    promptTokens: 64,
    exactPrompts: false,
    outputTokens: 32,
    sharedPrefixTokens: 0,
    tools: false,
    model: null,
    body: {},
    prompts: null,
    promptsFile: null,
    uniqueBeginnings: true,
  },
  embeddings: {
    inputTokens: 32,
    batch: 1,
    encodingFormat: "float",
    model: null,
    body: {},
    prompts: null,
    promptsFile: null,
    uniqueBeginnings: true,
  },
  images: { n: 1, size: "1024x1024", quality: "standard" },
  transcriptions: { audioSeconds: 3 },
  models: {},
  usage: { windowHours: 24, granularity: "hour" },
  "key-settings": {},
} satisfies { readonly [Item in WorkloadFile as Item["endpoint"]]: Partial<Item> };

const lengthMembers: readonly string[] = ["promptTokens", "outputTokens", "inputTokens", "batch", "audioSeconds"];

function fillItem(item: ProfileFile["workload"][number]): WorkloadItem {
  // An entry that names a tokenizer wants lengths that are exact.
  const exact = item.endpoint === "chat" && item.tokenizerFile !== undefined ? { exactPrompts: true } : {};
  const defaults = { label: defaultLabel(item), weight: 1, ...itemDefaults[item.endpoint], ...exact };
  const filled: Record<string, unknown> = { ...defaults, ...item };
  for (const member of lengthMembers) if (member in filled) filled[member] = length(filled[member]);
  if (Array.isArray(filled["prompts"])) filled["prompts"] = filled["prompts"].map((prompt) => rowOf(String(prompt)));
  return filled as unknown as WorkloadItem;
}

function defaultLabel(item: ProfileFile["workload"][number]): string {
  const model = "model" in item && item.model != null ? ` ${item.model}` : "";
  if (item.endpoint !== "chat") return `${item.endpoint}${model}`;
  return `${item.stream === false ? "chat" : "chat stream"}${model}`;
}

function length(value: unknown): LengthDistribution {
  const given = value as Length;
  if (typeof given === "number") return { kind: "fixed", value: given };
  return given.kind === "empirical" ? { ...given, weights: given.weights ?? null } : given;
}

/**
 * A profile with what its trace says: it takes as long as the trace unless the file states a duration, and its arrivals say
 * how many requests that leaves out.
 */
function fitTrace(profile: LoadProfile, file: TraceFile, trace: readonly TraceEntry[], hasDuration: boolean): LoadProfile {
  const { warmUpSeconds } = profile;
  // A send due at the very end is not within the window any more: whole seconds, and one of them at least.
  const wholeSeconds = Math.max(1, Math.floor(file.lengthMs(trace) / 1000) + 1 - Math.floor(warmUpSeconds));
  // The last turns of conversations wait for answers; the profile is over when they have come.
  const waitSeconds = trace.some(({ session }) => session !== undefined) ? Math.ceil(profile.timeoutSeconds) : 0;
  const durationSeconds = hasDuration ? profile.durationSeconds : wholeSeconds + waitSeconds;
  return { ...profile, durationSeconds, arrivals: file.fit(trace, 1000 * (durationSeconds + warmUpSeconds), profile.workload) };
}
