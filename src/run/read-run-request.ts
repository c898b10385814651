import { allCases } from "../../suites/all-cases.ts";
import { chooseTarget } from "../config/choose-target.ts";
import { ConfigError } from "../config/config-error.ts";
import { loadManifest } from "../config/load-manifest.ts";
import { parseManifest } from "../config/parse-manifest.ts";
import { closestWord } from "../core/closest-word.ts";
import type { FileProblem } from "../core/file-problem.ts";
import type { Manifest } from "../core/manifest.ts";
import { suiteIds } from "../core/result/requirement.ts";
import { loadProfile } from "../load/profile/read-profile.ts";
import { readCatalogue } from "../schemas/read-catalogue.ts";
import { createSwitchboard } from "../reference/defects/switchboard.ts";
import { parseReporter } from "../report/reporters/parse-reporter.ts";
import type { ReporterRequest } from "../report/reporters/reporter.ts";
import { type RunOptions, stageNames } from "./run-options.ts";
import type { ManifestInCode, RunRequest } from "./run-request.ts";

/** Fills in defaults and checks what a program asked for; throws a ConfigError that lists every problem, or a ProfileError. */
export function readRunRequest(request: RunRequest): RunOptions {
  const problems: Problem[] = [];
  const report: Report = (member, message, expected = null, suggestion = null) => {
    problems.push({ member, message, expected, suggestion });
  };
  const named = (member: string, words: readonly string[] | undefined, known: readonly string[]): void => {
    for (const word of words ?? []) {
      if (known.includes(word)) continue;
      const near = closestWord(word, known);
      const expected = near === null && known.length < 20 ? `one of ${known.join(", ")}` : null;
      report(member, `${JSON.stringify(word)} is not known`, expected, near === null ? null : `did you mean ${near}?`);
    }
  };
  for (const member of Object.keys(request)) {
    if (members.includes(member)) continue;
    const near = closestWord(member, members);
    report(member, "unknown member", `one of ${members.join(", ")}`, near === null ? null : `did you mean ${near}?`);
  }
  // `process.env.TARGET_URL` that is not set must not end as a test of the embedded service.
  for (const member of ["baseUrl", "config", "manifest"] as const) {
    if (member in request && request[member] === undefined)
      report(member, "it is given, but undefined", "a value, or no such member");
  }
  named("stages", request.stages, stageNames);
  named("suites", request.suites, suiteIds);
  named(
    "cases",
    request.cases,
    allCases.map(({ id }) => id),
  );
  named(
    "requirements",
    request.requirements,
    readCatalogue().map(({ id }) => id),
  );
  if (request.stages?.length === 0) report("stages", "no stage is named: nothing would be tested", "at least one stage");
  const { seed = 1 } = request;
  if (!Number.isInteger(seed) || seed < 0 || seed > 2 ** 32 - 1)
    report("seed", `${seed} is no seed`, "an integer from 0 to 4294967295");
  const reporters = (request.reporters ?? []).flatMap((each): readonly ReporterRequest[] => {
    const parsed = typeof each === "string" ? parseReporter(each) : { name: each.name, path: null, reporter: each };
    if (!("problem" in parsed)) return [parsed];
    report("reporters", parsed.problem);
    return [];
  });
  const switches = [...(request.variants ?? []), ...(request.mutants ?? [])];
  try {
    createSwitchboard(switches);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report("variants", error.message);
  }
  const { manifest, notes } = readTarget(request, report);
  if (manifest !== null && switches.length > 0) {
    report("mutants", "variants and mutants change the embedded reference service", "no baseUrl, config or manifest with them");
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => ({ file: "options", line: null, ...problem })));
  const { stages = stageNames, signal = new AbortController().signal, onProgress = () => {} } = request;
  for (const text of notes) onProgress({ kind: "note", text });
  return {
    stages,
    manifest,
    variants: request.variants ?? [],
    mutants: request.mutants ?? [],
    suites: request.suites ?? [],
    cases: request.cases ?? [],
    requirements: request.requirements ?? [],
    require: request.require ?? [],
    expected: request.expected ?? null,
    profiles: stages.includes("load")
      ? (request.profiles ?? ["smoke"]).map((each) => (typeof each === "string" ? loadProfile(each) : each))
      : [],
    exam: request.exam ?? null,
    outDir: request.outDir ?? "reports",
    seed,
    strict: request.strict ?? false,
    reporters,
    command: ["run()", "from a program"],
    signal,
    // An abort by a program counts as Ctrl-C of a person.
    interruptedBy: () => (signal.aborted ? "SIGINT" : null),
    onProgress,
  };
}

type Problem = Omit<FileProblem, "file" | "line">;

/** Every member, so that a new one cannot be forgotten here. */
const known: Readonly<Record<keyof RunRequest, true>> = {
  baseUrl: true,
  key: true,
  config: true,
  manifest: true,
  stages: true,
  suites: true,
  cases: true,
  requirements: true,
  require: true,
  expected: true,
  profiles: true,
  exam: true,
  outDir: true,
  seed: true,
  strict: true,
  reporters: true,
  variants: true,
  mutants: true,
  signal: true,
  onProgress: true,
  env: true,
};
const members = Object.keys(known);

type Report = (member: string, message: string, expected?: string | null, suggestion?: string | null) => void;

interface Target {
  readonly manifest: Manifest | null;
  readonly notes: readonly string[];
}

function readTarget(request: RunRequest, report: Report): Target {
  const { baseUrl, key, config, manifest, env = process.env } = request;
  if (manifest !== undefined) {
    if ([baseUrl, key, config].some((each) => each !== undefined))
      report("manifest", "a resolved manifest cannot be combined", "no baseUrl, key or config with it");
    return { manifest, notes: [] };
  }
  if (typeof config === "string") {
    if (key !== undefined) {
      report("key", "a manifest names its own keys", "no key with the path of a manifest");
      return noTarget;
    }
    return loadManifest({ file: config, baseUrl: baseUrl ?? null, workingDirectory: process.cwd(), env }) ?? noTarget;
  }
  if (config === undefined && baseUrl === undefined) {
    if (key !== undefined) report("key", "there is no target that the key belongs to", "a baseUrl with it");
    return noTarget;
  }
  try {
    return parseInCode(config ?? {}, request, report);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The document has one line.
    for (const { member, message, expected, suggestion } of error.problems) report(member, message, expected, suggestion);
    return noTarget;
  }
}

const noTarget: Target = { manifest: null, notes: [] };

/** The same checks as for a file. Secrets reach it by reference, as they would there, so that no message can hold one. */
function parseInCode(config: ManifestInCode, { baseUrl, key, env = process.env }: RunRequest, report: Report): Target {
  const chosen = chooseConfig(config, baseUrl, env);
  const { keys } = chosen.config;
  const given = { ...keys, primary: key ?? keys?.["primary"] ?? env["ASSAY_API_KEY"] };
  const [secrets, references, notes] = [new Map<string, string>(), new Map<string, unknown>(), [...chosen.notes]];
  for (const [name, entry] of Object.entries(given)) {
    const secret = typeof entry === "object" ? entry.secret : entry;
    if (secret !== undefined && secret !== "") {
      const reference = `\${the_key_${name}}`;
      secrets.set(`the_key_${name}`, secret);
      references.set(name, typeof entry === "object" ? { ...entry, secret: reference } : reference);
    } else if (name === "primary") {
      report("key", "no key of the target is given", "key, or the variable ASSAY_API_KEY");
      return noTarget;
    } else notes.push(`key ${name} is left out: its secret is not set`);
  }
  const document = JSON.stringify({ ...chosen.config, keys: Object.fromEntries(references) });
  const parsed = parseManifest(document, { file: "options", env: { ...env, ...Object.fromEntries(secrets) } });
  return { manifest: parsed.manifest, notes: [...notes, ...parsed.notes] };
}

/** The keys of `config` belong to its own base URL: another one gets `key` or ASSAY_API_KEY, and no permissions. */
function chooseConfig(
  config: ManifestInCode,
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): { readonly config: ManifestInCode; readonly notes: readonly string[] } {
  const { target } = config;
  if (baseUrl === undefined) return { config: { ...config, target: { ...target } }, notes: [] };
  if (typeof target?.baseUrl !== "string") return { config: { ...config, target: { ...target, baseUrl } }, notes: [] };
  const own = { ...config, target: { ...target, baseUrl: target.baseUrl } };
  const { document, notes } = chooseTarget(own, { file: "config", env, baseUrl });
  return { config: document, notes };
}
