import type { ExchangeJudge } from "../../judging/judge.ts";
import { isComplete, nameResponse } from "../../judging/subjects.ts";

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

export const noInternals: ExchangeJudge = {
  scope: "exchange",
  id: "no-internals",
  covers: ["ERR-036"],
  concerns: ({ status }) => status >= 400,
  judge(exchange, outcomes) {
    const text = exchange.response?.body?.text;
    if (!isComplete(exchange) || text === undefined) return;
    const found = traces.find(({ sign, pattern }) => text.includes(sign) && pattern.test(text));
    if (found === undefined) outcomes.pass("ERR-036");
    else {
      outcomes.fail("ERR-036", {
        place: nameResponse(exchange),
        kind: ` shows ${found.what}`,
        expected: "an error without internals of the service",
        observed: (found.pattern.exec(text)?.[0] ?? "").slice(0, 120),
      });
    }
  },
};
