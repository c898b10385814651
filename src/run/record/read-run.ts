import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import { tryJson, isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { LineSource } from "../../evidence/read-lines.ts";
import type { ChainHead } from "../../core/result/chain-head.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { noLoad, type MeasuredLoad } from "../verdict/find-load-findings.ts";
import { readLedger } from "./read-ledger.ts";
import { isSealed } from "./seal-record.ts";
import { readEvidence } from "../../evidence/evidence-reader.ts";
import { checkRecord } from "./check-record.ts";
import { challengeFiles } from "./challenge-files.ts";
import type { RunRecord } from "./run-record.ts";
import { unfinishedFile } from "./unfinished-file.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { compileSchema } from "../../schemas/validator.ts";
import { unjudgedResult } from "./unjudged-result.ts";
import { readToolVersion } from "../tool-version.ts";

export interface SavedRun {
  readonly record: RunRecord;
  readonly exchanges: readonly Exchange[];
  /** The measurements that follow from `load.ndjson`. */
  readonly load: MeasuredLoad;
  /** The faults of files that can be read, each beginning with the name of the file. */
  readonly problems: readonly string[];
  /** Whether one of the problems is an edit; a run that was killed left files in part, and nobody changed them. */
  readonly isEdited: boolean;
}

/** The files of a run, in a folder or wherever they lie. */
export interface RunFiles {
  /** The place of the files, for messages. */
  readonly place: string;
  /** null where there is no such file. */
  readonly text: (name: string) => Promise<string | null>;
  readonly chunks: (name: string) => LineSource | null;
}

/** A run folder. */
export function folderFiles(folder: string): RunFiles {
  const find = (name: string): string | null => {
    const file = join(folder, name);
    const kind = kindOfFile(file);
    if (kind === "other") throw new Error(`${file} is no file of a run: it is a link, a folder, a pipe or a device`);
    return kind === "none" ? null : file;
  };
  return {
    place: folder,
    text: (name) => {
      const file = find(name);
      return Promise.resolve(file === null ? null : readFileSync(file, "utf8"));
    },
    chunks: find,
  };
}

/**
 * Reads a run and judges its load; `strict` as `--strict`, also where the run was not. Throws an Error that says which file is
 * missing or unusable, and what to do about it.
 */
export async function readRun(
  from: string | RunFiles,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<SavedRun> {
  const files = typeof from === "string" ? folderFiles(from) : from;
  const finished = await files.text("run.json");
  const file = join(files.place, finished === null ? unfinishedFile : "run.json");
  const text = finished ?? (await files.text(unfinishedFile));
  if (text === null) throw new Error(`${files.place} is not a run folder: it has no run.json`);
  const content = tryJson(text);
  if (content === undefined) throw new Error(`${file} is not JSON: it was cut or changed`);
  const checked = checkRecord(content);
  if ("problem" in checked) {
    throw new Error(
      `${file} was recorded by another version of assay${versionOf(content)} or changed since: ${checked.problem}; ` +
        `this is ${readToolVersion()}: use the assay that recorded it, or run again`,
    );
  }
  const { record } = checked;
  // Blanks and members that stand twice leave the content and its seal as they were.
  const untouched = isSealed(record) && text === `${visibleJson(record, 1)}\n`;
  const sealProblems = untouched ? [] : [`${basename(file)} was changed after the run: its seal does not match`];
  const compare = (name: string, recorded: ChainHead | null, found: ChainHead | null): readonly string[] =>
    finished === null ? [] : compareHeads(name, recorded, found);
  const challengeProblems = finished === null ? [] : await compareChallengeFiles(files, record);
  const evidence = await readExchanges(files, record);
  const evidenceChanges = compare("evidence.ndjson", record.heads.evidence, evidence.head);
  const load = await readLoad(files, record, strict);
  const loadChanges = compare("load.ndjson", record.heads.load, load.head);
  const problems = [
    ...sealProblems,
    ...challengeProblems,
    ...(finished === null ? [describeKilled(evidence.exchanges)] : []),
    ...evidence.problems,
    ...evidenceChanges,
    ...load.problems,
    ...loadChanges,
  ];
  const edits = [...sealProblems, ...challengeProblems, ...evidenceChanges, ...loadChanges];
  const isEdited = edits.length > 0 || evidence.isEdited || load.isEdited;
  return { record, exchanges: evidence.exchanges, load: load.load, problems, isEdited };
}

/** Reads `load.ndjson` to the measurements that follow from it, with its faults. */
async function readLoad(
  { chunks }: RunFiles,
  record: RunRecord,
  strict: boolean,
): Promise<ReadPart & { readonly load: MeasuredLoad }> {
  const source = chunks("load.ndjson");
  if (source === null) return { load: noLoad, head: null, problems: [], isEdited: false };
  const { load, head, problems, isEdited } = await readLedger(source, { strict: record.strict || strict });
  const fault = findLoadFault(record, load);
  const named = problems.map((problem) => `load.ndjson: ${problem}`);
  if (fault === null) return { load, head, problems: named, isEdited };
  const all = [...named, `load.ndjson: what follows from it is no result of load: ${fault}`];
  return { load: noLoad, head, problems: all, isEdited: true };
}

interface ReadPart {
  readonly head: ChainHead | null;
  readonly problems: readonly string[];
  readonly isEdited: boolean;
}

async function readExchanges(
  { place, chunks }: RunFiles,
  { spent }: RunRecord,
): Promise<ReadPart & { readonly exchanges: readonly Exchange[] }> {
  const source = chunks("evidence.ndjson");
  if (source !== null) {
    const { exchanges, head, problems } = await readEvidence(join(place, "evidence.ndjson"), source);
    refuseUnknownRows(place, exchanges);
    return {
      exchanges,
      head,
      problems: problems.map(({ line, message }) => `evidence.ndjson: line ${line}: ${message}`),
      isEdited: problems.some(({ kind }) => kind !== "cut-line" && kind !== "no-end"),
    };
  }
  // A run that ended before it had a target sent nothing.
  if (spent.requests === 0) return { exchanges: [], head: null, problems: [], isEdited: false };
  throw new Error(`${place} has no evidence.ndjson, and the run sent ${spent.requests} requests: nothing can be judged`);
}

/** Lines of a ledger are taken as they stand: the parts of reports must be of their form, since anybody may have written the file. */
function findLoadFault(record: RunRecord, { load }: MeasuredLoad): string | null {
  const [fault] = compileSchema("result.schema")({ ...unjudgedResult(record), load });
  return fault === undefined ? null : `${fault.pointer} ${fault.message}`;
}

/** A requirement states the purpose of a request: judges of this version can say nothing on those of another. */
function refuseUnknownRows(place: string, exchanges: readonly Exchange[]): void {
  const known = new Set(readCatalogue().map(({ id }) => id));
  for (const { seq, intent } of exchanges) {
    if (!("requirement" in intent) || known.has(intent.requirement)) continue;
    throw new Error(
      `${join(place, "evidence.ndjson")}: #${seq} is about the requirement ${intent.requirement}, which this version of assay ` +
        "does not know: use the assay that recorded it, or run again",
    );
  }
}

/** A run that was killed wrote no end: what happened, what the verdict rests on, and what to do. */
function describeKilled(exchanges: readonly Exchange[]): string {
  const what = "partial: the run was ended from outside (killed, out of memory, or the disk full)";
  const answers = exchanges.filter(({ response }) => response !== null).length;
  return answers === 0
    ? `${what} before any answer was recorded: there is nothing to judge; run it again`
    : `${what}; what it had recorded until then is judged: ${answers} ${answers === 1 ? "answer" : "answers"}; run it again for a whole verdict`;
}

/** The files of a challenge in the folder are part of the record, too. */
async function compareChallengeFiles({ text }: RunFiles, { witness }: RunRecord): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const name of Object.values(challengeFiles)) {
    const recorded = witness.find((file) => file.name === name);
    const content = await text(name);
    if (recorded === undefined && content !== null) problems.push(`${name} is not part of this run: run.json names no such file`);
    if (recorded !== undefined && content === null) problems.push(`${name} is missing: the run wrote it`);
    if (recorded === undefined || content === null) continue;
    const digest = createHash("sha256").update(content).digest("hex");
    if (digest !== recorded.sha256) problems.push(`${name} was changed after the run: its digest is not that of run.json`);
  }
  return problems;
}

function compareHeads(name: string, recorded: ChainHead | null, found: ChainHead | null): readonly string[] {
  if (recorded === null) return found === null ? [] : [`${name} is no part of this run: run.json names no such file`];
  if (found === null) return [`${name} is missing: the run wrote ${recorded.lines} lines of it`];
  if (found.lines < recorded.lines) return [`${name} was cut: ${found.lines} of ${recorded.lines} lines are there`];
  return found.sha256 === recorded.sha256 ? [] : [`${name} was changed after the run: it ends otherwise than run.json says`];
}

function versionOf(content: unknown): string {
  const tool = isJsonObject(content) ? content["tool"] : null;
  const version = isJsonObject(tool) ? tool["version"] : null;
  return typeof version === "string" ? ` (${version})` : "";
}
