import { describe, expect, it } from "vitest";
import type { GateDoubt, GateKind, LoadLimitCheck } from "../../../src/core/result/gate-result.ts";
import type { ProgressEvent } from "../../../src/core/progress.ts";
import { displayWidth } from "../../../src/report/escape/terminal.ts";
import { createLiveView, type LiveView } from "../../../src/report/terminal/live-view.ts";
import { createScreen, type Screen } from "../../../src/report/terminal/screen.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { olderResult } from "../older-result.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";
import { steadyLoad } from "../steady-load.ts";

const { result } = buildSample();
const esc = String.fromCharCode(27);

interface Recording {
  readonly screen: Screen;
  readonly writes: string[];
}

function record(env: Record<string, string | undefined>, stream: { isTTY?: boolean; columns?: number } = {}): Recording {
  const writes: string[] = [];
  return { writes, screen: createScreen({ env, stream: { ...stream, write: (text) => writes.push(text) } }) };
}

/** `interactive colour unicode 80`: what a screen has been decided to be. */
function traits({ interactive, colour, unicode, width }: Screen): string {
  return [interactive && "interactive", colour && "colour", unicode && "unicode", width].filter(Boolean).join(" ");
}

describe("createScreen", () => {
  const tty = { isTTY: true, columns: 80 };
  const LANG = "en_US.UTF-8";
  it.each([
    ["a terminal", { LANG }, tty, "interactive colour unicode 80"],
    ["NO_COLOR", { LANG, NO_COLOR: "1" }, tty, "interactive unicode 80"],
    ["an empty NO_COLOR", { LANG, NO_COLOR: "" }, tty, "interactive colour unicode 80"],
    ["FORCE_COLOR over NO_COLOR", { FORCE_COLOR: "1", NO_COLOR: "1" }, {}, "colour unicode 100"],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0", LANG: "C.UTF-8" }, tty, "interactive unicode 80"],
    ["a dumb terminal", { TERM: "dumb", LANG }, tty, "80"],
    ["an ASCII locale", { LC_ALL: "C", LANG }, tty, "interactive colour 80"],
    ["a pipe", { LANG, COLUMNS: "72" }, {}, "unicode 72"],
    ["CI", { CI: "true", LANG }, tty, "colour unicode 80"],
    ["a very wide terminal", { LANG }, { isTTY: true, columns: 300 }, "interactive colour unicode 100"],
  ])("decides once for %s", (_name, env, stream, expected) => {
    expect(traits(record(env, stream).screen)).toBe(expected);
  });
});

/** The first and the last line name the target whole, and commands are typed again, however narrow the screen is. */
function withoutTarget(lines: readonly string[]): readonly string[] {
  const rows = lines.filter((line) => line !== "" && !line.includes("assay show"));
  return rows.slice(1, -1);
}

describe("renderSummary", () => {
  const text = (env: Record<string, string>): string =>
    renderSummary(result, record(env, { isTTY: true, columns: 80 }).screen, { reportPath: "reports/x/report.html" });

  it("puts the verdict last and the failures just above", () => {
    const lines = text({ LANG: "C.UTF-8", NO_COLOR: "1" }).trimEnd().split("\n");
    expect(lines.at(-1)).toBe("✗ FAILED  exit 1 · 6 failures · 10 min 12 s · https://api.staging.example.com");
    expect(lines.at(-2)).toBe("reports/x/report.html");
    const position = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(position("! F007")).toBeLessThan(position("✗ F001"));
    expect(position("✗ F006")).toBeLessThan(position("GATE"));
    expect(position("GATE")).toBeLessThan(lines.length - 1);
  });

  it("says what to type next about the first failure that can be asked again", () => {
    expect(text({ NO_COLOR: "1" })).toContain(
      "\nnext: assay replay reports/x F001 --config assay.config.yaml\n      assay explain CHAT-014\n",
    );
    const none = { ...result, findings: [] };
    expect(renderSummary(none, record({}).screen, { reportPath: "reports/x/report.html" })).not.toContain("next:");
  });

  it("never calls a command passed that ends in another code, for want of a report", () => {
    const { screen } = record({ LANG: "C.UTF-8", NO_COLOR: "1" }, { isTTY: true, columns: 80 });
    const passed = { ...result, verdict: "passed", exitCode: 0, findings: [] } as const;
    const lines = renderSummary(passed, screen, { exitCode: 2 }).trimEnd().split("\n");
    expect(lines.at(-1)).toBe(
      "✗ PASSED, A REPORT IS MISSING  exit 2 · 0 failures · 10 min 12 s · https://api.staging.example.com",
    );
    expect(lines).toContain("a report that was asked for could not be written");
    expect(renderSummary(passed, screen, { exitCode: 0 })).toContain("✓ PASSED  exit 0 ");
  });

  it("reports service latency, dispatch delay and user latency of every profile, with or without gates", () => {
    const profile = result.load!.profiles[0]!;
    const few = profile.distributions.map((each) => ({
      ...each,
      count: 40,
      percentiles: each.percentiles.map((one) => (one.percentile === 99 ? { ...one, value: null, needed: 328 } : one)),
    }));
    const shown = (change: Partial<typeof profile>, columns = 80): readonly string[] => {
      const load = { profiles: [{ ...profile, gates: [], ...change }], calibration: null };
      const { screen } = record({ NO_COLOR: "1", LANG: "C.UTF-8" }, { isTTY: true, columns });
      return renderSummary({ ...result, load, findings: [] }, screen).split("\n");
    };
    const rows = shown({ distributions: few });
    for (const name of ["user latency", "service latency", "dispatch delay", "time to first token"]) {
      expect(rows.find((row) => row.includes(name))).toMatch(/ 40 +[\d.]+ +[\d.]+ +–$/);
    }
    // The percentile that gates name most stands on narrow screens too, beside the others.
    expect(rows.find((row) => row.startsWith("LATENCY OF SUCCESSES, ms"))).toMatch(/ n +p50 +p95 +p99$/);
    for (const columns of [40, 60]) {
      const narrow = shown({ distributions: few }, columns);
      expect(narrow.find((row) => row.startsWith("LATENCY"))).toMatch(/ p50 +p95 +p99$/);
      expect(narrow.find((row) => row.includes("user lat"))).toMatch(/ [\d.]+ +[\d.]+ +–$/);
      expect(Math.max(...withoutTarget(narrow).map((row) => row.length))).toBeLessThanOrEqual(columns);
    }
    expect(rows).toContain("  – fewer samples than this percentile needs");
    expect(shown({})).not.toContain("  – fewer samples than this percentile needs");
    const silent = shown({ distributions: [], outcomes: { "transport-error": 9 } });
    expect(silent.join("\n")).toContain("9 transport-error\n  no request succeeded: there is no latency to report");
  });

  it("does not call met what was only measured", () => {
    const profiles = (result.load?.profiles ?? []).map((profile) => ({ ...profile, gates: [] }));
    const bare = {
      ...result,
      verdict: "passed",
      exitCode: 0,
      scope: null,
      conformance: null,
      limits: null,
      findings: [],
    } as const;
    const shown = (change: object): string =>
      renderSummary({ ...bare, load: { profiles, calibration: null }, ...change }, record({ NO_COLOR: "1" }).screen);
    expect(shown({})).toContain("load without gates");
    expect(shown({})).toContain("MEASURED, NO GATES  exit 0");
    expect(shown({ load: result.load })).toContain("PASSED  exit 0");
    expect(shown({ limits: result.limits })).toContain("PASSED  exit 0");
  });

  it("says that the error of the machine is not known, and why", () => {
    const load = { ...result.load!, calibration: null, uncalibrated: "the calibration failed: why" };
    const shown = renderSummary({ ...result, load }, record({ NO_COLOR: "1" }).screen);
    expect(shown).toContain("instrument: the calibration failed: why; gates on times are not judged");
  });

  it("counts by family the limit checks behind a gate on limits", () => {
    const profile = result.load!.profiles[0]!;
    const gate = profile.gates[0]!;
    const check = (kind: string, verdict: LoadLimitCheck["verdict"]): LoadLimitCheck => ({
      policy: `${kind}/primary/chat`,
      kind,
      id: "limits.over-admission",
      title: "t",
      verdict,
      considered: 60,
      needed: 60,
      message: "m",
    });
    const limitChecks = [check("requests", "pass"), check("requests", "fail"), check("burst", "inconclusive")];
    const shown = (kind: GateKind): string => {
      const load = { profiles: [{ ...profile, limitChecks, gates: [{ ...gate, kind }] }], calibration: null };
      return renderSummary({ ...result, load }, record({ NO_COLOR: "1" }).screen);
    };
    const reported = "limit checks: requests: 1 met, 1 violated; burst: 1 inconclusive";
    expect(shown("limits")).toContain(reported);
    expect(shown("fraction")).not.toContain(reported);
  });

  it("distinguishes a gate that nothing was tested for from one with too few samples", () => {
    const profile = result.load!.profiles[0]!;
    const gate = profile.gates[0]!;
    const open = (verdict: "untested" | "inconclusive", reason: string, doubt: GateDoubt): string => {
      const gates = [{ ...gate, observed: null, margin: null, verdict, reason, doubt }];
      const load = { profiles: [{ ...profile, gates }], calibration: null };
      return renderSummary({ ...result, load }, record({ NO_COLOR: "1" }).screen);
    };
    expect(open("untested", "no limit check found", "no-figure")).toContain("not tested\n    no limit check found\n");
    expect(open("inconclusive", "too few samples: 9 more", "too-few")).toContain(
      "too few samples\n    too few samples: 9 more\n",
    );
    expect(open("inconclusive", "no request gave this figure", "no-figure")).toContain("no figure\n    no request");
    // The whole reason stands with the profile.
    expect(open("inconclusive", "run invalid (generator-limited)", "run-invalid")).toMatch(/run invalid\n(?! {4})/);
  });

  it("says why planned sends never left, and nothing where an older result does not tell", () => {
    expect(text({ NO_COLOR: "1" })).toContain("\nchat-stream-steady: not sent: 9 Retry-After obeyed, 3 maxInFlight reached\n");
    expect(renderSummary(olderResult(result), record({ NO_COLOR: "1" }).screen)).not.toContain("not sent:");
  });

  it("never exceeds 80 columns", () => {
    for (const line of withoutTarget(text({ LANG: "C.UTF-8", NO_COLOR: "1" }).split("\n")))
      expect(displayWidth(line)).toBeLessThanOrEqual(80);
    const hostile = renderSummary(
      buildSample({ hostile: true }).result,
      record({ LANG: "C.UTF-8", NO_COLOR: "1" }, { isTTY: true, columns: 80 }).screen,
    );
    for (const line of withoutTarget(hostile.split("\n"))) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  it("falls back to ASCII", () => {
    expect(text({ LC_ALL: "C", NO_COLOR: "1" })).toMatch(/^[\n\u0020-\u007e]*$/);
    expect(text({ LC_ALL: "C", NO_COLOR: "1" }).trimEnd().split("\n").at(-1)).toBe(
      "x FAILED  exit 1, 6 failures, 10 min 12 s, https://api.staging.example.com",
    );
  });

  it("colours only when asked", () => {
    expect(text({ LANG: "C.UTF-8" })).toContain(`${esc}[31m`);
    expect(text({ LANG: "C.UTF-8", NO_COLOR: "1" })).not.toContain(esc);
  });
});

it("reports one failure of each requirement before a second of any, and counts what it does not list", () => {
  const [first, second] = result.findings;
  const flooded = {
    ...result,
    findings: [...Array.from({ length: 30 }, (_, index) => ({ ...first!, id: `A${index}` })), second!],
  };
  const text = renderSummary(flooded, record({ NO_COLOR: "1" }).screen);
  expect(text).toContain("A0 CHAT-014");
  expect(text).toContain("F002 LIM-001");
  expect(text).toContain("A6 CHAT-014");
  expect(text).not.toContain("A7 CHAT-014");
  expect(text).toContain("and 23 more failures; all of them: assay show ");
});

/** Timers by hand: `tick` runs those that are due. */
function manualTimers(): {
  nowMs: () => number;
  every: (ms: number, call: () => void) => () => void;
  advance: (ms: number) => void;
  running: () => number;
} {
  let now = 0;
  const timers = new Set<{ ms: number; next: number; call: () => void }>();
  return {
    nowMs: () => now,
    every: (ms, call) => {
      const timer = { ms, next: now + ms, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.next <= end).sort((a, b) => a.next - b.next)[0];
        if (due === undefined) break;
        now = due.next;
        due.next += due.ms;
        due.call();
      }
      now = end;
    },
    running: () => timers.size,
  };
}

const events: readonly ProgressEvent[] = [
  { kind: "stage-started", stage: "conformance", title: "14 suites", plannedRequests: 246, etaMs: 41_000 },
  { kind: "advanced", stage: "conformance", done: 41, total: 58, current: "chat/stream" },
  { kind: "answered", stage: "conformance", status: 200, ttftMs: 182 },
  { kind: "answered", stage: "conformance", status: 429, ttftMs: null },
  { kind: "answered", stage: "conformance", status: null, ttftMs: null },
];

describe("createLiveView on a terminal", () => {
  const start = (): { view: LiveView; timers: ReturnType<typeof manualTimers>; writes: string[] } => {
    const { screen, writes } = record({ LANG: "C.UTF-8", NO_COLOR: "1" }, { isTTY: true, columns: 80 });
    const timers = manualTimers();
    return { view: createLiveView(screen, timers), timers, writes };
  };

  it("redraws at most ten times a second, each as one synchronized update", () => {
    const { view, timers, writes } = start();
    for (let index = 0; index < 500; index += 1) {
      for (const event of events) view.onProgress(event);
      timers.advance(10);
    }
    expect(writes.length).toBeLessThanOrEqual(50);
    for (const write of writes) {
      expect(write.startsWith(`${esc}[?2026h`)).toBe(true);
      expect(write.endsWith(`${esc}[?2026l`)).toBe(true);
    }
    view.finish();
    expect(timers.running()).toBe(0);
  });

  it("shows position, time left, answers, rejects and TTFT", () => {
    const { view, timers, writes } = start();
    for (const event of events) view.onProgress(event);
    timers.advance(100);
    expect(writes[0]).toContain("conformance  ━━━━━━━━━━━━━━╌╌╌╌╌╌  41/58  0 ms  ~41 s left  chat/stream");
    expect(writes[0]).toContain("sent 3  2xx 1  429 1  4xx 0  5xx 0  no answer 1  ttft p50 182 p99 182 ms\n");
  });

  it("shows rates and the health of the generator under load, and counts waiting down", () => {
    const { view, timers, writes } = start();
    view.onProgress(steadyLoad);
    view.onProgress({ kind: "waiting", stage: "limits", reason: "the window of key primary resets", ms: 30_000 });
    timers.advance(100);
    const frame = writes.at(-1) ?? "";
    expect(frame).toContain("steady  19.8/s of 20/s  in flight 21  ttft p50 182 slowest 640 ms");
    expect(frame).toContain("generator: event loop 16 % busy  longest dispatch delay 1.90 ms");
    expect(frame).toContain("waiting 29.9 s: the window of key primary resets");
  });

  it("keeps notes above and clears its lines at the end", () => {
    const { view, timers, writes } = start();
    view.onProgress({ kind: "note", text: `settings restored${esc}[2J` });
    timers.advance(100);
    view.finish();
    view.finish();
    expect(writes.join("")).toContain("settings restored\\u001b[2J\n");
    expect(writes.at(-1)).toBe(`${esc}[?2026h\r${esc}[2A${esc}[0J${esc}[?2026l`);
  });
});

describe("createLiveView elsewhere", () => {
  it("writes plain lines and a heartbeat every 30 s", () => {
    const { screen, writes } = record({ LANG: "C.UTF-8" });
    const timers = manualTimers();
    const view = createLiveView(screen, timers);
    for (const event of events) view.onProgress(event);
    timers.advance(65_000);
    view.onProgress({ kind: "stage-finished", stage: "conformance", summary: "156 of 160 met" });
    view.finish();
    timers.advance(65_000);
    expect(writes).toEqual([
      "conformance · 14 suites (246 requests planned, about 41 s)\n",
      expect.stringMatching(/^conformance .* 41\/58 {2}30 s .*sent 3 .*\n$/),
      expect.stringMatching(/^conformance .* 41\/58 {2}1 min 00 s .*\n$/),
      "conformance done · 156 of 160 met\n",
    ]);
    expect(writes.join("")).not.toContain(esc);
  });

  it("cuts no note: a log has no width", () => {
    const { screen, writes } = record({ LANG: "C.UTF-8" });
    const view = createLiveView(screen, manualTimers());
    const text = `settings could not be restored: ${"send this PATCH by hand; ".repeat(10)}`.trim();
    view.onProgress({ kind: "note", text });
    view.finish();
    expect(writes).toEqual([`${text}\n`]);
  });
});
