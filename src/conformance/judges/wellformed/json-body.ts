import { asksForStream, scanBody } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import type { ScannedJson } from "../../judging/scan-json.ts";
import { isComplete, isEventStream, nameResponse, weightOf } from "../subjects.ts";

const glanced = createGlancedLists(["SVC-001", "ERR-012", "SVC-019"]);

/** Section "What the service does": bodies are JSON (RFC 8259, which includes UTF-8 and no byte order mark). */
export const jsonBody: ExchangeJudge = {
  scope: "exchange",
  id: "json-body",
  covers: ["SVC-001", "SVC-019", "ERR-012"],
  concerns: ({ streamed }) => !streamed,
  glance(exchange) {
    if (!isComplete(exchange)) return null;
    const { body, status } = exchange.response;
    if (status < 300 && asksForStream(exchange)) return null;
    const scan = scanBody(body);
    if (scan === null || scan.error !== null || scan.duplicates.length > 0) return null;
    return glanced(status >= 400 ? 0b111 : 0b101);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || isEventStream(exchange)) return;
    const { body, status } = exchange.response;
    // A stream that was asked for and is not announced as one is judged where streams are.
    if (asksForStream(exchange) && status < 300) return;
    if (body === null || body.truncated) return;
    const isSettings = exchange.endpoint === "key-settings" || exchange.endpoint === "account-settings";
    if (body.bytes === 0 && (status === 204 || (isSettings && status < 300))) return;
    const scan = scanBody(body);
    const problem = body.bytes === 0 ? "the body is empty" : scan === null ? "the body is not UTF-8" : notJson(scan);
    const weight = weightOf(exchange);
    for (const requirement of status >= 400 ? ["SVC-001", "ERR-012"] : ["SVC-001"]) {
      yield problem === null
        ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
        : {
            requirement,
            outcome: weight,
            exchanges: [exchange.seq],
            message: `${nameResponse(exchange)}: ${problem}`,
            expected: "a well-formed JSON text in UTF-8",
            observed: body.text === undefined ? "bytes that are not UTF-8" : `${body.bytes} bytes: ${body.text.slice(0, 120)}`,
          };
    }
    if (problem === null) {
      const duplicates = scan?.duplicates ?? [];
      yield duplicates.length === 0
        ? { requirement: "SVC-019", outcome: "pass", exchanges: [exchange.seq] }
        : {
            requirement: "SVC-019",
            outcome: "fail",
            exchanges: [exchange.seq],
            message: "an object of the body names a member twice: clients disagree on which one counts",
            expected: "unique member names",
            observed: duplicates.slice(0, 5).join(", "),
          };
    }
  },
};

function notJson({ error }: ScannedJson): string | null {
  return error === null ? null : `the body is not JSON: ${error}`;
}
