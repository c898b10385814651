import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { isComplete, nameResponse } from "../subjects.ts";

/** Traces of runtimes and paths of machines, as such or escaped in JSON; each needs a shape that ordinary prose does not have. */
const traces: readonly (readonly [RegExp, string])[] = [
  [/Traceback \(most recent call last\)/, "a Python traceback"],
  [/\bat [\w$.<>]+ \((?:file:\/\/|node:|\/)[^)]+:\d+:\d+\)/, "a JavaScript stack"],
  [/\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/, "a JVM stack"],
  [/\bgoroutine \d+ \[/, "a Go stack"],
  [/thread '[^']*' panicked at/, "a Rust panic"],
  [/\bFile \\?"[^"]+\.py\\?", line \d+/, "a Python frame"],
  [
    /(?:\/usr\/(?:src|lib|local)|\/home\/\w|\/app\/|\/var\/(?:www|task)|node_modules\/|site-packages\/)[\w./-]*\.\w+/,
    "a path of the machine",
  ],
  [/[A-Z]:\\{1,2}(?:Users|inetpub|Program Files)\\/, "a path of the machine"],
];

export const noInternals: ExchangeJudge = {
  scope: "exchange",
  id: "no-internals",
  covers: ["ERR-036"],
  concerns: ({ status }) => status >= 400,
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || exchange.response.status < 400) return;
    const text = exchange.response.body?.text;
    if (text === undefined) return;
    const found = traces.find(([pattern]) => pattern.test(text));
    yield found === undefined
      ? { requirement: "ERR-036", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "ERR-036",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: `${nameResponse(exchange)} shows ${found[1]}`,
          expected: "an error without internals of the service",
          observed: (found[0].exec(text)?.[0] ?? "").slice(0, 120),
        };
  },
};
