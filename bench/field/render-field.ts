import type { FieldBug } from "./field-bug.ts";
import type { FieldTrial } from "./try-field.ts";

/** One trial as a line of the results file. */
export interface FieldLine extends FieldTrial {
  readonly reference: string;
  readonly server: "broken" | "mended";
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const short = (text: string): string => (text.length > 150 ? `${text.slice(0, 149)}…` : text);
const linked = (reference: string): string => `[${reference}](https://github.com/${reference.replace("#", "/issues/")})`;

/** Mends that are the plain server are asked once a stage. */
export function plain(stage: FieldBug["stage"]): string {
  return `plain ${stage}`;
}

function rowOf({ reference, says, stage, missed, mended: own }: FieldBug, lines: readonly FieldLine[]): string {
  const broken = lines.find((one) => one.reference === reference && one.server === "broken");
  const mended = lines.find((one) => one.server === "mended" && one.reference === (own === undefined ? plain(stage) : reference));
  const finding =
    broken === undefined
      ? "not tried"
      : broken.exitCode === 1
        ? short(broken.says[0] ?? "")
        : `missed: ${missed ?? "not explained yet"}`;
  const exits = `${broken?.exitCode ?? "-"} / ${mended?.exitCode ?? "-"}`;
  const seconds = broken === undefined ? "-" : `${Math.round(broken.seconds)} s`;
  return `| ${linked(reference)} | ${cell(says)} | ${stage} | ${exits} | ${cell(finding)} | ${seconds} |`;
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
    "`npm run bench:field -- --page` writes this page. Each row is a bug that somebody reported in public, rebuilt as a small server",
    "(`bench/field/`), and asked in the default run of its stage; the same server without it is asked as well, once a stage where that is the",
    "plain server. Exit codes: with the bug, without it. Time: of the clock of the target for `limits`, whose windows of a minute are moved by",
    "hand here with the schedule of real time; of a real clock for `check`, with another run at the same time on two cores.",
    "The number of a report may be that of a pull request. `npm test` asks one row of `limits` a day, `npm run test:all` every row that was found.",
    "",
    `${of("broken", 1)} of ${broken} bugs fail; ${of("broken", 0)} end in 0 and ${of("broken", 3)} in 3. ${of("mended", 0)} of ${mended} mended servers end in 0, ${of("mended", 1)} are accused.`,
    "",
    "| report | bug | stage | exit codes | first finding | time |",
    "|---|---|---|---|---|---|",
    ...bugs.map((bug) => rowOf(bug, lines)),
    "",
  ].join("\n");
}
