import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isComplete, nameResponse } from "../subjects.ts";

interface Trace {
  readonly pattern: RegExp;
  /** A character that every match has: most texts lack it, and looking for it costs next to nothing. */
  readonly sign: string;
  readonly what: string;
}

/** Traces of runtimes and paths of machines, as such or escaped in JSON; each needs a shape that ordinary prose does not have. */
const traces: readonly Trace[] = [
  { pattern: /Traceback \(most recent call last\)/, sign: "(", what: "a Python traceback" },
  { pattern: /\bat [\w$.<>]+ \((?:file:\/\/|node:|\/)[^)]+:\d+:\d+\)/, sign: "(", what: "a JavaScript stack" },
  { pattern: /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/, sign: "(", what: "a JVM stack" },
  { pattern: /\bgoroutine \d+ \[/, sign: "[", what: "a Go stack" },
  { pattern: /thread '[^']*' panicked at/, sign: "'", what: "a Rust panic" },
  { pattern: /\bFile \\?"[^"]+\.py\\?", line \d+/, sign: "F", what: "a Python frame" },
  {
    pattern: /(?:\/usr\/(?:src|lib|local)|\/home\/\w|\/app\/|\/var\/(?:www|task)|node_modules\/|site-packages\/)[\w./-]*\.\w+/,
    sign: "/",
    what: "a path of the machine",
  },
  { pattern: /[A-Z]:\\{1,2}(?:Users|inetpub|Program Files)\\/, sign: "\\", what: "a path of the machine" },
];

function findTrace(text: string): Trace | null {
  for (const trace of traces) if (text.indexOf(trace.sign) !== -1 && trace.pattern.test(text)) return trace;
  return null;
}

const glanced = createGlancedLists(["ERR-036"]);

export const noInternals: ExchangeJudge = {
  scope: "exchange",
  id: "no-internals",
  covers: ["ERR-036"],
  concerns: ({ status }) => status >= 400,
  glance(exchange) {
    if (!isComplete(exchange) || exchange.response.status < 400) return nothingGlanced;
    const text = exchange.response.body?.text;
    if (text === undefined) return nothingGlanced;
    return findTrace(text) === null ? glanced(1) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || exchange.response.status < 400) return;
    const text = exchange.response.body?.text;
    if (text === undefined) return;
    const found = findTrace(text);
    yield found === null
      ? { requirement: "ERR-036", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "ERR-036",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: `${nameResponse(exchange)} shows ${found.what}`,
          expected: "an error without internals of the service",
          observed: (found.pattern.exec(text)?.[0] ?? "").slice(0, 120),
        };
  },
};
