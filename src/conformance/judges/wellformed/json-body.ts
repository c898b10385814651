import type { Obstacle } from "../../../core/exchange/bodies/find-obstacle.ts";
import type { ExchangeJudge, Outcomes, Violation } from "../../judging/judge.ts";
import { mayRepeatMembers } from "../../judging/repeated-members.ts";
import { scanJson } from "../../judging/scan-json.ts";
import { type Answered, isComplete, isEventStream, nameResponse, weightOf } from "../../judging/subjects.ts";
import { showAnswer } from "../../judging/show-answer.ts";

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
    if (body === null) return;
    const { obstacle, responseBody } = exchange;
    if (obstacle === null && !responseBody.ok) return;
    const rows = status >= 400 ? ["SVC-001", "ERR-012"] : ["SVC-001"];
    for (const requirement of rows) report(requirement, obstacle, exchange, outcomes);
    const repeated = findRepeatedMembers(exchange);
    if (repeated === null) return;
    outcomes.passOrFail("SVC-019", repeated.length === 0, () => ({
      kind: "an object of the body names a member twice: clients disagree on which one counts",
      expected: "unique member names",
      observed: repeated.slice(0, 5).join(", "),
    }));
  },
};

function report(requirement: string, obstacle: Obstacle | null, exchange: Answered, outcomes: Outcomes): void {
  const { unread } = exchange.response.body ?? {};
  // A body that was not kept was seen passing by.
  if (obstacle === null || unread?.malformed === null) {
    outcomes.pass(requirement);
    return;
  }
  if (!obstacle.isFault) {
    outcomes.inconclusive(requirement, `${nameResponse(exchange)} was not read: ${obstacle.words}`);
    return;
  }
  outcomes.passOrFail(requirement, false, () => ({
    ...describeFault(obstacle),
    outcome: weightOf(exchange),
    place: nameResponse(exchange),
    expected: "a well-formed JSON text in UTF-8",
    observed: showAnswer(exchange),
  }));
}

function describeFault({ cause, words }: Obstacle): Pick<Violation, "kind"> & { readonly around: readonly [string, string] } {
  const isCoding = cause === "coding" || cause === "unknown-coding";
  return { kind: isCoding ? "not in the coding that it names" : "not JSON", around: ["", `: ${words}`] };
}

/** null: the body is not JSON. */
function findRepeatedMembers({ response, responseJson }: Answered): readonly string[] | null {
  if (responseJson === undefined) return null;
  const text = response.body?.text ?? "";
  // Looking for them takes long, and nearly always there is nothing to find.
  return mayRepeatMembers(text, responseJson) ? scanJson(text).duplicates : [];
}
