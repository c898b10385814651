import { readRetryHints } from "../../../core/retry-hints.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";

/** Retry-After holds seconds or an HTTP date, wherever it occurs (RFC 9110 section 10.2.3, AMB-36). */
export const retryAfterGrammar: ExchangeJudge = {
  scope: "exchange",
  id: "retry-after-grammar",
  covers: ["ERR-031"],
  *judge(exchange): Iterable<Occurrence> {
    if (exchange.response === null || exchange.endpoint === null) return;
    const { header, problems } = readRetryHints(exchange.response.headers, undefined, exchange.timing.wallMs);
    if (header === null) return;
    const repeated = problems.some(({ hint, kind }) => hint === "Retry-After" && kind === "repeated");
    const subject = { requirement: "ERR-031", exchanges: [exchange.seq] };
    yield header.format !== "invalid" && !repeated
      ? { ...subject, outcome: "pass" }
      : {
          ...subject,
          outcome: "fail",
          message: repeated ? "Retry-After is repeated" : "Retry-After is neither whole seconds nor an HTTP date",
          expected: "seconds or an HTTP date, once",
          observed: header.raw,
        };
  },
};
