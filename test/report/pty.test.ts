import { closeSync, constants, openSync } from "node:fs";
import { WriteStream } from "node:tty";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveView } from "../../src/report/terminal/live-view.ts";
import { createScreen } from "../../src/report/terminal/screen.ts";
import { renderSummary } from "../../src/report/terminal/summary.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";
import { steadyLoad } from "./steady-load.ts";

/** A real pseudo-terminal; `cat` only keeps it open while this process writes to its other end. */
let pty: IPty & { readonly ptsName: string };
let stream: WriteStream;
let fd: number;
let output: string;

beforeEach(() => {
  output = "";
  pty = spawn("cat", [], { cols: 80, rows: 24 }) as IPty & { readonly ptsName: string };
  pty.onData((data) => {
    output += data;
  });
  fd = openSync(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY);
  stream = new WriteStream(fd);
});

afterEach(async () => {
  const gone = new Promise<void>((resolve) => {
    pty.onExit(() => resolve());
  });
  stream.destroy();
  try {
    closeSync(fd);
  } catch {
    // The stream has closed it.
  }
  pty.kill();
  await gone;
});

/** Waits until the terminal has handed on everything up to `mark`. */
async function received(mark: string): Promise<string> {
  await expect.poll(() => output.includes(mark)).toBe(true);
  return output;
}

describe("in a real pseudo-terminal", () => {
  it("is interactive, coloured and 80 columns wide", () => {
    expect(createScreen({ stream, env: { LANG: "C.UTF-8", TERM: "xterm-256color" } })).toMatchObject({
      interactive: true,
      colour: true,
      unicode: true,
      width: 80,
    });
    expect(createScreen({ stream, env: { LANG: "C.UTF-8", TERM: "dumb" } })).toMatchObject({ interactive: false, colour: false });
  });

  it("redraws in place and leaves nothing behind but what lasts", async () => {
    const screen = createScreen({ stream, env: { LANG: "C.UTF-8" } });
    const draws: (() => void)[] = [];
    const view = createLiveView(screen, {
      nowMs: () => 1_000,
      every: (_ms, call) => {
        draws.push(call);
        return () => undefined;
      },
    });
    const redraw = (): void => {
      for (const draw of draws) draw();
    };
    view.onProgress({ kind: "stage-started", stage: "load", title: "2 profiles", plannedRequests: 1_200, etaMs: 60_000 });
    for (let second = 1; second <= 5; second += 1) {
      view.onProgress({
        ...steadyLoad,
        profile: `steady ${"long name ".repeat(12)}`,
        elapsedMs: second * 1_000,
        durationMs: 60_000,
      });
      redraw();
    }
    screen.write("mark one\n");
    const during = readTerminal(await received("mark one"));
    expect(during[0]).toContain("load · 2 profiles (1200 requests planned, about 1 min 00 s)");
    expect(during.filter((line) => line.startsWith("sent "))).toHaveLength(1);
    expect(during.filter((line) => line.startsWith("generator: "))).toHaveLength(1);
    for (const line of during) expect(line.length).toBeLessThanOrEqual(80);

    output = "";
    view.onProgress({ kind: "stage-finished", stage: "load", summary: "4 of 5 gates met" });
    redraw();
    view.finish();
    screen.write("mark two\n");
    const after = await received("mark two");
    expect(after).toContain("load done · 4 of 5 gates met");
  });

  it("ends with nothing but the lasting lines when finished at once", async () => {
    const screen = createScreen({ stream, env: { LANG: "C.UTF-8", NO_COLOR: "1" } });
    const draws: (() => void)[] = [];
    const view = createLiveView(screen, { nowMs: () => 0, every: (_ms, call) => (draws.push(call), () => undefined) });
    view.onProgress({ kind: "note", text: "baseline holds 1 entry" });
    for (const draw of draws) draw();
    view.onProgress({ kind: "note", text: "settings restored" });
    view.finish();
    screen.write("the end\n");
    expect(readTerminal(await received("the end"))).toEqual(["baseline holds 1 entry", "settings restored", "the end"]);
  });

  it("shows a hostile summary without giving up control of the terminal", async () => {
    const screen = createScreen({ stream, env: { LANG: "C.UTF-8" } });
    screen.write(renderSummary(buildSample({ hostile: true }).result, screen));
    screen.write("the end\n");
    const lines = readTerminal(await received("the end"));
    expect(lines.at(-1)).toBe("the end");
    expect(lines.at(-2)).toMatch(/^✗ FAILED {2}exit 1 · 6 failures/);
    expect(lines.length).toBeGreaterThan(20);
  });
});

/**
 * Lines that a terminal shows after our output: text, line feed, carriage return, cursor up, erase to the end, colours and
 * synchronized updates. Any other escape sequence is an error: we do not send one.
 */
function readTerminal(output: string): readonly string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const esc = String.fromCharCode(27);
  for (let index = 0; index < output.length;) {
    const character = output[index] ?? "";
    if (character === esc) {
      const [whole, digits = "", letter = ""] = /^\[\??(\d*)([A-Za-z])/.exec(output.slice(index + 1)) ?? [];
      if (whole === undefined) throw new Error("an escape sequence that is none of ours");
      const count = digits === "" ? 1 : Number(digits);
      if (letter === "A") row = Math.max(0, row - count);
      else if (letter === "J" && digits === "0") rows.splice(row, rows.length, (rows[row] ?? []).slice(0, column));
      else if (!"mhl".includes(letter)) throw new Error(`unexpected sequence ${whole}`);
      index += 1 + whole.length;
      continue;
    }
    index += 1;
    if (character === "\n") {
      row += 1;
      rows[row] ??= [];
    } else if (character === "\r") column = 0;
    else {
      (rows[row] ??= [])[column] = character;
      column += 1;
    }
  }
  const lines = Array.from(rows, (cells) => Array.from(cells ?? [], (cell) => cell ?? " ").join(""));
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
