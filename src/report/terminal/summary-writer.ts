import type { Finding } from "../../core/result/finding.ts";
import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { fitWidth, terminalText } from "../escape/terminal.ts";
import { countOf, formatDuration, formatNumber, formatPercent } from "../text/format-number.ts";
import { latencyPercentiles, latencyRows, noLatencyWords, outcomeWords } from "../text/latency-rows.ts";
import { listFailures } from "../list-failures.ts";
import { drawFinding, fitFindings } from "./draw-finding.ts";
import { runVerdictWord, type Tone, type VerdictWord, verdictWords } from "../text/verdict-word.ts";
import { longerWords } from "../text/longer-words.ts";
import { atLeastSign, observedWords } from "../text/observed-words.ts";
import type { ScopeLine } from "../text/scope-words.ts";
import { plainText } from "./plain-text.ts";
import { wrapText, type Wrapping } from "./wrap-text.ts";
import type { Paint, Screen } from "./screen.ts";

export const toneStyles: Readonly<Record<Tone, Paint>> = {
  pass: "green",
  fail: "red",
  warn: "yellow",
  open: "magenta",
  plain: "dim",
};

/** Lines of one member of a finding: what is longer stands whole in the report and in `assay show`. */
const memberLines = 3;

/** How a command ends beside its verdict. */
export interface CommandEnd {
  readonly reportPath: string | null;
  readonly exitCode: number;
  /** The run was changed after it was made. */
  readonly isEdited: boolean;
}

/** The reasons for which a command ends with another code than that of its verdict. */
const edited = {
  headline: "edited after the run",
  sentence: "files of the run were changed after it: they are named on standard error",
};
const missing = { headline: "a report is missing", sentence: "a report that was asked for could not be written" };

/** The parts of a summary as lines that fit the screen. */
export class SummaryWriter {
  readonly #screen: Screen;
  readonly #lines: string[] = [];
  readonly #ellipsis: string;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#ellipsis = screen.unicode ? "…" : "...";
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /** As many of the findings as fit the rows; returns how many. */
  findings(findings: readonly Finding[], rows: number): number {
    const shown = fitFindings(
      findings.map((finding) => drawFinding(finding, this.#screen, memberLines)),
      rows,
    );
    this.#lines.push(...shown.flat());
    if (this.#lines.at(-1) !== "") this.#lines.push("");
    return shown.length;
  }

  advisory(finding: Finding): void {
    const word = finding.baselined ? { ...verdictWords.advisory, word: "known" } : verdictWords.advisory;
    const text = `${this.#glyph(word)} ${finding.id} ${word.word}: ${finding.message}`;
    this.#lines.push(...this.#hanging(text).map((line) => this.#screen.paint("yellow", line)));
  }

  latencies(profiles: readonly LoadProfileResult[]): void {
    // Every percentile stands on the narrowest screen: names are cut, and the count makes room.
    const [countWidth, figureWidth] = this.#screen.width >= 80 ? [8, 10] : this.#screen.width >= 60 ? [6, 8] : [0, 8];
    const nameWidth = Math.min(42, this.#screen.width - countWidth - figureWidth * latencyPercentiles.length);
    const row = (name: string, count: string, figures: readonly string[]): string =>
      [
        fitWidth(this.#clean(name).padEnd(nameWidth), nameWidth, this.#ellipsis),
        countWidth === 0 ? "" : count.padStart(countWidth),
        ...figures.map((figure) => this.#clean(figure).padStart(figureWidth)),
      ].join("");
    const percentileNames = latencyPercentiles.map((each) => `p${each}`);
    this.#lines.push(this.#screen.paint("dim", this.#fit(row("LATENCY OF SUCCESSES, ms", "n", percentileNames))));
    for (const profile of profiles) {
      const outcomes = outcomeWords(profile);
      this.#lines.push(...this.#wrapped("", `${profile.id}  ${profile.arrivals}${outcomes === "" ? "" : `: ${outcomes}`}`, 2));
      const rows = latencyRows(profile);
      if (rows.length === 0) this.#lines.push(this.#fit(`  ${noLatencyWords(profile)}`));
      for (const [index, { endpoint, name, count, figures }] of rows.entries()) {
        const start = rows[index - 1]?.endpoint === endpoint ? "" : endpoint;
        if (this.#screen.width < 80 && start !== "") this.#lines.push(this.#fit(`  ${start}`));
        const label = this.#screen.width < 80 ? `    ${name}` : `${`  ${start}`.padEnd(16)} ${name}`;
        this.#lines.push(
          row(
            label,
            String(count),
            figures.map(({ value, isLeast }) => `${isLeast ? atLeastSign : ""}${formatNumber(value)}`),
          ),
        );
      }
    }
    const all = profiles.flatMap(latencyRows).flatMap(({ figures }) => figures);
    if (all.some(({ value }) => value === null))
      this.#lines.push(this.#screen.paint("dim", this.#fit("  – fewer samples than this percentile needs")));
    if (all.some(({ isLeast }) => isLeast))
      this.#lines.push(this.#screen.paint("dim", this.#fit(`  ${atLeastSign}given up at the time-out`)));
    this.#lines.push("");
  }

  gates(gates: readonly GateResult[]): void {
    this.#lines.push(
      this.#screen.paint("dim", this.#fit("GATE                                        OBSERVED          MARGIN")),
    );
    for (const gate of gates) {
      const word = verdictWords[gate.verdict];
      // Neither met nor missed: the reason stands where the margin would, beneath where it does not fit.
      const reason = gate.margin === null ? gate.reason : null;
      const invalid = reason !== null && gate.doubt === "run-invalid";
      const longer = longerWords(gate);
      const margin = invalid ? "run invalid" : longer !== "" ? longer : reason === null ? formatPercent(gate.margin, 0) : "";
      const text = `${this.#glyph(word)} ${this.#clean(gate.expression).padEnd(41)} ${this.#clean(observedWords(gate)).padEnd(17)} ${margin}`;
      this.#lines.push(this.#screen.paint(toneStyles[word.tone], this.#fit(text.trimEnd())));
      if (reason !== null && !invalid)
        this.#lines.push(...this.#wrapped("    ", reason, 3).map((line) => this.#screen.paint("dim", line)));
    }
    this.#lines.push("");
  }

  plain(text: string): void {
    this.#lines.push(...this.#wrapped("", text, 3));
  }

  /** A line that ends with a command: never cut or broken, as the command is typed again. */
  withCommand(text: string): void {
    this.#lines.push(this.#clean(text));
  }

  warning(text: string): void {
    this.#lines.push(
      ...this.#hanging(`${this.#glyph(verdictWords.advisory)} ${text}`).map((line) => this.#screen.paint("yellow", line)),
    );
  }

  /** Commands to type next; never cut, as they are typed again. */
  hint(commands: readonly string[]): void {
    this.#lines.push(
      ...commands.map((each, index) => this.#screen.paint("dim", this.#clean(`${index === 0 ? "next:" : "     "} ${each}`))),
      "",
    );
  }

  /** A line of a list goes on below, further in; one of YAML stays whole, as it is pasted. */
  line({ text, dim }: ScopeLine): void {
    if (dim) {
      this.#lines.push(this.#screen.paint("dim", this.#clean(text)));
      return;
    }
    const [indent = ""] = /^ */.exec(text) ?? [];
    const lines = this.#wrap(text.trimStart(), { first: indent, rest: `${indent}    `, maxLines: Infinity });
    this.#lines.push(...lines);
  }

  verdict(result: Result, { reportPath, exitCode, isEdited }: CommandEnd): void {
    const word = runVerdictWord(result);
    const departure = isEdited ? edited : exitCode === result.exitCode ? null : missing;
    const facts = [`exit ${exitCode}`, countOf(listFailures(result).length, "failure"), formatDuration(result.durationMs)];
    const said = [word.word, ...(departure === null ? [] : [departure.headline])].join(", ").toUpperCase();
    const head = `${this.#glyph(departure === null ? word : verdictWords.fail)} ${said}  ${facts.join(this.#screen.unicode ? " · " : ", ")}`;
    this.#lines.push(...this.#wrapped("", result.reason, 4));
    if (departure !== null) this.#lines.push(...this.#wrapped("", departure.sentence, 2));
    if (reportPath !== null) this.#lines.push(this.#screen.paint("dim", this.#clean(reportPath)));
    const [style, between] = [toneStyles[departure === null ? word.tone : "fail"], this.#screen.unicode ? " · " : ", "];
    const shown = this.#screen.paint(style, this.#screen.paint("bold", this.#fit(head)));
    // Whole, however narrow the screen is: it is what the verdict is about.
    this.#lines.push(`${shown}${between}${this.#target(result)}`);
  }

  /** The first line of a summary. */
  target(result: Result): void {
    this.#lines.push(`target: ${this.#target(result)}`, "");
  }

  #target({ target: { name, baseUrl } }: Result): string {
    const [shownName, shownUrl] = [name, baseUrl].map((text) => this.#clean(text).slice(0, 200));
    return shownUrl?.includes(shownName ?? "") === true ? shownUrl : `${shownName} ${shownUrl}`;
  }

  #clean(text: string): string {
    return plainText(terminalText(text), this.#screen);
  }

  #fit(text: string, columns: number = this.#screen.width): string {
    return fitWidth(this.#clean(text), columns, this.#ellipsis);
  }

  #glyph(word: VerdictWord): string {
    return this.#screen.unicode ? word.glyph : word.ascii;
  }

  #wrapped(indent: string, text: string, maxLines: number): readonly string[] {
    return this.#wrap(text, { first: indent, rest: indent, maxLines });
  }

  /** The lines after the first are indented. */
  #hanging(text: string): readonly string[] {
    return this.#wrap(text, { first: "", rest: "  ", maxLines: 3 });
  }

  #wrap(text: string, form: Pick<Wrapping, "first" | "rest" | "maxLines">): readonly string[] {
    return wrapText(this.#clean(text), { width: this.#screen.width, ellipsis: this.#ellipsis, ...form });
  }
}
