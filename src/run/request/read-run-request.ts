import { allCases } from "../../../suites/all-cases.ts";
import { suggestWord } from "../../core/suggest-word.ts";
import type { Manifest } from "../../core/manifest.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { loadProfile } from "../../load/plan/read-profile.ts";
import { createSwitchboard } from "../../reference/switches/switchboard.ts";
import { parseReporter } from "../../report/reporters/parse-reporter.ts";
import type { ReporterRequest } from "../../report/reporters/reporter.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { readRequestedTarget } from "./read-requested-target.ts";
import { RequestProblems } from "./request-problems.ts";
import { type RunOptions, stageNames } from "../run-options.ts";
import type { RunRequest } from "./run-request.ts";

const defaultSeed = 1;

/** Fills in defaults and checks what a program asked for; throws a ConfigError that lists every problem, or a ProfileError. */
export function readRunRequest(request: RunRequest): RunOptions {
  const problems = new RequestProblems();
  checkMembers(request, problems);
  checkNames(request, problems);
  checkSeed(request, problems);
  const reporters = readReporters(request, problems);
  checkSwitches(request, problems);
  const { manifest, notes } = readRequestedTarget(request, problems);
  if (manifest !== null && switchesOf(request).length > 0)
    problems.report(
      "mutants",
      "variants and mutants change the embedded reference service",
      "no baseUrl, config or manifest with them",
    );
  problems.throwAny();
  for (const text of notes) request.onProgress?.({ kind: "note", text });
  return fillIn(request, manifest, reporters);
}

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
  thorough: true,
  outDir: true,
  seed: true,
  strict: true,
  label: true,
  reporters: true,
  variants: true,
  mutants: true,
  signal: true,
  onProgress: true,
  env: true,
};
const members = Object.keys(known);

function checkMembers(request: RunRequest, problems: RequestProblems): void {
  for (const member of Object.keys(request)) {
    if (members.includes(member)) continue;
    problems.report(member, "unknown member", `one of ${members.join(", ")}`, suggestWord(member, members));
  }
  // `process.env.TARGET_URL` that is not set must not end as a test of the embedded service.
  for (const member of ["baseUrl", "config", "manifest"] as const) {
    if (member in request && request[member] === undefined)
      problems.report(member, "it is given, but undefined", "a value, or no such member");
  }
}

function checkNames({ stages, suites, cases, requirements }: RunRequest, problems: RequestProblems): void {
  problems.reportUnknown("stages", stages, stageNames);
  problems.reportUnknown("suites", suites, suiteIds);
  problems.reportUnknown(
    "cases",
    cases,
    allCases.map(({ id }) => id),
  );
  problems.reportUnknown(
    "requirements",
    requirements,
    readCatalogue().map(({ id }) => id),
  );
  if (stages?.length === 0) problems.report("stages", "no stage is named: nothing would be tested", "at least one stage");
}

function checkSeed({ seed = defaultSeed }: RunRequest, problems: RequestProblems): void {
  if (!Number.isInteger(seed) || seed < 0 || seed > 2 ** 32 - 1)
    problems.report("seed", `${seed} is no seed`, "an integer from 0 to 4294967295");
}

function readReporters({ reporters }: RunRequest, problems: RequestProblems): readonly ReporterRequest[] {
  return (reporters ?? []).flatMap((each): readonly ReporterRequest[] => {
    const parsed = typeof each === "string" ? parseReporter(each) : { name: each.name, path: null, reporter: each };
    if (!("problem" in parsed)) return [parsed];
    problems.report("reporters", parsed.problem);
    return [];
  });
}

function checkSwitches(request: RunRequest, problems: RequestProblems): void {
  try {
    createSwitchboard(switchesOf(request));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.report("variants", error.message);
  }
}

function switchesOf({ variants, mutants }: RunRequest): readonly string[] {
  return [...(variants ?? []), ...(mutants ?? [])];
}

function fillIn(request: RunRequest, manifest: Manifest | null, reporters: readonly ReporterRequest[]): RunOptions {
  const { stages = stageNames, signal = new AbortController().signal } = request;
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
    thorough: request.thorough ?? false,
    outDir: request.outDir ?? "reports",
    seed: request.seed ?? defaultSeed,
    strict: request.strict ?? false,
    ...(request.label === undefined ? {} : { label: request.label }),
    reporters,
    command: ["run()", "from a program"],
    signal,
    // An abort by a program counts as Ctrl-C of a person.
    interruptedBy: () => (signal.aborted ? "SIGINT" : null),
    onProgress: request.onProgress ?? (() => {}),
  };
}
