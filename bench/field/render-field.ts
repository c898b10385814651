import type { FieldBug } from "./field-bug.ts";
import type { FieldTrial } from "./try-field.ts";

/** One trial as a line of the results file. */
export interface FieldLine extends FieldTrial {
  readonly reference: string;
  readonly server: "broken" | "mended";
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const linked = (reference: string): string => `[${reference}](https://github.com/${reference.replace("#", "/issues/")})`;

/** Mends that are the plain server are asked once a stage. */
export function plain(stage: FieldBug["stage"]): string {
  return `plain ${stage}`;
}

/** The id of the requirement, check or judge that a finding names first. */
const idOf = (finding: string): string => finding.split(":")[0]!;

function rowOf({ reference, says, stage, missed, mended: own }: FieldBug, lines: readonly FieldLine[]): string {
  const broken = lines.find((one) => one.reference === reference && one.server === "broken");
  const mended = lines.find((one) => one.server === "mended" && one.reference === (own === undefined ? plain(stage) : reference));
  if (broken === undefined) return `| ${linked(reference)} | ${cell(says)} | not tried |`;
  const found =
    broken.exitCode === 1
      ? `\`${idOf(broken.says[0] ?? "")}\``
      : `missed (exit code ${broken.exitCode}): ${missed ?? "not explained yet"}`;
  const accused = mended === undefined || mended.exitCode === 0 ? "" : `; without it: exit code ${mended.exitCode}`;
  return `| ${linked(reference)} | ${cell(says)} | ${found}${accused} |`;
}

const clocks: Readonly<Record<FieldBug["stage"], string>> = {
  limits: "the clock of the target, which is moved by hand",
  check: "a real clock, with another run at the same time on two cores",
};

function tableOf(stage: FieldBug["stage"], bugs: readonly FieldBug[], lines: readonly FieldLine[]): readonly string[] {
  const own = bugs.filter((bug) => bug.stage === stage);
  const rows = own.map((bug) => rowOf(bug, lines));
  const seconds = lines
    .filter(({ server, reference }) => server === "broken" && own.some((bug) => bug.reference === reference))
    .map((line) => Math.round(line.seconds));
  const time = `${Math.min(...seconds)} to ${Math.max(...seconds)} s each of ${clocks[stage]}.`;
  return ["", `## \`${stage}\``, "", time, "", "| report | bug | first finding |", "|---|---|---|", ...rows];
}

/** The page of all bugs with their verdicts. */
export function renderField(bugs: readonly FieldBug[], lines: readonly FieldLine[]): string {
  const of = (server: FieldLine["server"], exitCode: number): number =>
    lines.filter((one) => one.server === server && one.exitCode === exitCode).length;
  const broken = lines.filter(({ server }) => server === "broken").length;
  const mended = lines.filter(({ server }) => server === "mended").length;
  return [
    "# Public bugs: measured",
    "",
    "`npm run bench:field -- --page` writes this page. Each row is a bug that somebody reported in public (the number may be that of a pull",
    "request), rebuilt as a small server (`bench/field/`) and asked in the default run of its stage, beside the same server without it.",
    "`npm test` asks one row of `limits` a day, `npm run test:all` every row that was found.",
    "",
    `${of("broken", 1)} of ${broken} bugs fail; ${of("broken", 0)} end in 0 and ${of("broken", 3)} in 3. ${of("mended", 0)} of ${mended} mended servers end in 0, ${of("mended", 1)} are accused.`,
    ...tableOf("limits", bugs, lines),
    ...tableOf("check", bugs, lines),
    "",
  ].join("\n");
}
