import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { listedIds, readModels } from "./model-list.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";

/** Models that answered successfully have to be found in the list (AMB-42: recommended). */
export const modelsAreListed: RunJudge = {
  scope: "run",
  id: "models-are-listed",
  covers: ["MOD-009"],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.stage === "conformance");
    const list = own.find((exchange) => readModels(exchange) !== null);
    const listed = listedIds(own);
    // An entry without an identifier could be any model.
    if (list === undefined || [...listed].some((id) => typeof id !== "string" || id === "")) return;
    for (const [model, exchange] of workingModels(own, manifest.models.transcription)) {
      const subject = { requirement: "MOD-009", exchanges: [list.seq, exchange.seq] };
      yield passOrFail(subject, listed.has(model), () => ({
        kind: `the model ${withoutNumbers(model)} works but is not listed`,
        message: `the model ${model} works but is not listed`,
        expected: `an entry with the id ${model}`,
        observed: showValue([...listed].slice(0, 8)),
      }));
    }
  },
};

/** Each model that a valid request named, with the first success. */
function workingModels(exchanges: readonly ExchangeFacts[], transcription: string | null): ReadonlyMap<string, ExchangeFacts> {
  const found = new Map<string, ExchangeFacts>();
  for (const exchange of exchanges) {
    const model = requestedModel(exchange, transcription);
    if (model !== null && !found.has(model)) found.set(model, exchange);
  }
  return found;
}

function requestedModel(exchange: ExchangeFacts, transcription: string | null): string | null {
  if (!exchange.isSuccess) return null;
  if (isValidRequest(exchange, "transcriptions")) return transcription;
  if (!isValidRequest(exchange, "chat") && !isValidRequest(exchange, "embeddings")) return null;
  const model = exchange.requestObject?.["model"];
  return typeof model === "string" ? model : null;
}
