/** Choices that hold for a run as a whole. Options, record and result of a run have these members alike. */
export interface RunSettings {
  /** The command line. */
  readonly command: readonly string[];
  /** Seed of everything random. */
  readonly seed: number;
  /** Whether advisories counted as failures. */
  readonly strict: boolean;
  /** The version of the target, or another name of this run: the text of `--label`. Absent: none was given. */
  readonly label?: string;
}

/** The members that the record of a run and its result have alike. */
export interface RunHeader extends RunSettings {
  /** Version of this format. */
  readonly schemaVersion: "1.0";
  /** Name of the run folder. */
  readonly runId: string;
  /** The program that tested it. */
  readonly tool: { readonly name: "assay"; readonly version: string; readonly node: string; readonly platform: string };
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Length of the run in real time. */
  readonly durationMs: number;
}

/** The form that JSON gives to a member. */
export type MemberForm =
  | "string"
  | "number"
  | "boolean"
  | "object"
  | "array"
  | "string or absent"
  | "array or absent"
  | "string or null"
  | "array or null"
  | "object or null";

const settingForms: Readonly<Record<keyof RunSettings, MemberForm>> = {
  command: "array",
  seed: "number",
  strict: "boolean",
  label: "string or absent",
};

/** The members of a header, in the order in which files hold them. */
export const runHeaderForms: Readonly<Record<keyof RunHeader, MemberForm>> = {
  schemaVersion: "string",
  runId: "string",
  tool: "object",
  command: "array",
  seed: "number",
  startedAt: "string",
  durationMs: "number",
  strict: "boolean",
  label: "string or absent",
};

/** The settings among other members. */
export function pickRunSettings(source: RunSettings): RunSettings {
  return pick(settingForms, source);
}

/** The header among other members. */
export function pickRunHeader(source: RunHeader): RunHeader {
  return pick(runHeaderForms, source);
}

function pick<Picked extends object>(forms: Readonly<Record<keyof Picked, MemberForm>>, source: Picked): Picked {
  const names = Object.keys(forms) as (keyof Picked)[];
  return Object.fromEntries(names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]]))) as Picked;
}
