import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";

/** The answer of a target to a successful change is not described (AMB-18): it is recorded. */
export const settingsAnswer: ExchangeJudge = {
  scope: "exchange",
  id: "settings-answer",
  covers: ["KEY-020", "ACC-009"],
  concerns: ({ intent }) => intent === "valid",
  judge(exchange, outcomes) {
    const requirement = rows.get(exchange.endpoint);
    if (requirement === undefined || !exchange.isSuccess) return;
    outcomes.observed(requirement, () => `${exchange.status} ${describeContent(exchange)}`, "the answer to a successful change");
  },
};

function describeContent({ requestObject, responseObject }: ExchangeFacts): string {
  if (responseObject === null) return "without a JSON object";
  const sent = Object.entries(requestObject ?? {});
  const echoed = sent.length > 0 && sent.every(([name, value]) => responseObject[name] === value);
  return echoed ? "with the new settings" : "with another JSON object";
}

const rows: ReadonlyMap<EndpointId | null, string> = new Map([
  ["key-settings", "KEY-020"],
  ["account-settings", "ACC-009"],
]);
