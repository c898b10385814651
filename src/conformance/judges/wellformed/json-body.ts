import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { mayRepeatMembers } from "../../judging/repeated-members.ts";
import { scanJson } from "../../judging/scan-json.ts";
import { type Answered, isComplete, isEventStream, nameResponse, weightOf } from "../../judging/subjects.ts";

/** Section "What the service does": bodies are JSON (RFC 8259, which includes UTF-8 and no byte order mark). */
export const jsonBody: ExchangeJudge = {
  scope: "exchange",
  id: "json-body",
  aspect: "body",
  covers: ["SVC-001", "SVC-019", "ERR-012"],
  concerns: ({ streamed }) => !streamed,
  judge(exchange, outcomes) {
    if (!isComplete(exchange) || isEventStream(exchange)) return;
    const { body, status } = exchange.response;
    // A stream that was asked for and is not announced as one is judged where streams are.
    if (status < 300 && exchange.asksForStream) return;
    if (body === null || body.truncated) return;
    const isSettings = exchange.endpoint === "key-settings" || exchange.endpoint === "account-settings";
    if (body.bytes === 0 && (status === 204 || (isSettings && status < 300))) return;
    const problem = describeProblem(exchange);
    report("SVC-001", problem, exchange, outcomes);
    if (status >= 400) report("ERR-012", problem, exchange, outcomes);
    const repeated = findRepeatedMembers(exchange);
    if (repeated === null) return;
    outcomes.passOrFail("SVC-019", repeated.length === 0, () => ({
      kind: "an object of the body names a member twice: clients disagree on which one counts",
      expected: "unique member names",
      observed: repeated.slice(0, 5).join(", "),
    }));
  },
};

function report(requirement: string, problem: string | null, exchange: Answered, outcomes: Outcomes): void {
  const { body } = exchange.response;
  outcomes.passOrFail(requirement, problem === null, () => ({
    outcome: weightOf(exchange),
    place: nameResponse(exchange),
    kind: "not JSON",
    around: ["", `: ${problem}`],
    expected: "a well-formed JSON text in UTF-8",
    observed: body?.text === undefined ? "bytes that are not UTF-8" : `${body.bytes} bytes: ${body.text.slice(0, 120)}`,
  }));
}

function describeProblem({ responseBody }: Answered): string | null {
  if (responseBody.ok) return null;
  if (responseBody.problem === "empty") return "the body is empty";
  return responseBody.error === undefined ? "the body is not UTF-8" : `the body is not JSON: ${responseBody.error}`;
}

/** null: the body is not JSON. */
function findRepeatedMembers({ response, responseJson }: Answered): readonly string[] | null {
  if (responseJson === undefined) return null;
  const text = response.body?.text ?? "";
  // Looking for them takes long, and nearly always there is nothing to find.
  return mayRepeatMembers(text, responseJson) ? scanJson(text).duplicates : [];
}
