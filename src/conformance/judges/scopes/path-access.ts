import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { hasPurpose, isAbsentPath } from "../../judging/subjects.ts";

/** Purpose of a request without credentials to a path that is only named. */
export const anonymousPurpose = "call a named path without credentials";

/** Paths that are only named do not succeed without credentials; they need not exist (AMB-22). */
export const pathAccess: ExchangeJudge = {
  scope: "exchange",
  id: "path-access",
  aspect: "status",
  covers: ["PATH-005", "PATH-007", "PATH-008"],
  concerns: ({ intent }) => intent === "housekeeping",
  judge(exchange, outcomes) {
    const requirement = rows.get(exchange.endpoint);
    if (requirement === undefined || !hasPurpose(exchange, anonymousPurpose)) return;
    if (isUnplannedTrouble(exchange) && !isAbsentPath(exchange)) outcomes.inconclusive(requirement, troubleOf(exchange));
    else {
      outcomes.passOrFail(requirement, !exchange.isSuccess, () => ({
        kind: "a request without credentials succeeds",
        expected: "401, or 404 where the path does not exist",
        observed: describeAnswer(exchange),
      }));
    }
  },
};

const rows: ReadonlyMap<EndpointId | null, string> = new Map([
  ["workspaces", "PATH-005"],
  ["agents", "PATH-007"],
  ["verify", "PATH-008"],
]);
