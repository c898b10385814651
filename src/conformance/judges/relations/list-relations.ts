import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isJsonObject, type JsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { Relation } from "./relation.ts";

function entriesOf(exchange: ExchangeFacts, endpoint: "models" | "images"): readonly JsonObject[] {
  if (exchange.endpoint !== endpoint || !isDescribedSuccess(exchange)) return [];
  const data = exchange.responseObject?.["data"];
  return Array.isArray(data) ? (data as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The entry of a model does not depend on when or with which key it is asked for. */
function modelStays(member: "created" | "owned_by" | "object"): Relation {
  return {
    id: `models/same-model/${member}`,
    requirement: "MOD-012",
    says: "what is listed of a model changes from list to list",
    held: "id of a model in two lists",
    varies: "the time of asking, the key",
    agrees: member,
    *compare(record) {
      const known = new Map<JsonValue, { readonly value: string; readonly seq: number }>();
      for (const exchange of record) {
        for (const entry of entriesOf(exchange, "models")) {
          const { id } = entry;
          if (typeof id !== "string" || entry[member] === undefined) continue;
          const value = showValue(entry[member], 80);
          const before = known.get(id);
          if (before === undefined) known.set(id, { value, seq: exchange.seq });
          else if (before.value !== value || before.seq !== exchange.seq) {
            yield {
              exchanges: [exchange.seq, before.seq],
              isProven: true,
              holds: before.value === value,
              expected: `${member} ${before.value} of the model ${showValue(id, 60)}, as in #${before.seq}`,
              observed: value,
            };
          }
        }
      }
    },
  };
}

/** As many images as were asked for are as many addresses. */
const imagesApart: Relation = {
  id: "images/one-answer/url",
  requirement: "IMG-030",
  says: "two images of one answer have one address",
  held: "the answer that two images stand in",
  varies: "the place in data",
  agrees: "url: no two are the same",
  *compare(record) {
    for (const exchange of record) {
      const addresses = entriesOf(exchange, "images").map(({ url }) => url);
      const known = addresses.filter((url): url is string => typeof url === "string" && url !== "");
      if (known.length < 2) continue;
      // A data: URL is the image itself: two that are alike are two alike images.
      const repeated = known.find((url, place) => known.indexOf(url) < place && !/^data:/i.test(url));
      yield {
        exchanges: [exchange.seq],
        isProven: true,
        holds: repeated === undefined,
        expected: `${known.length} addresses`,
        observed: repeated === undefined ? "" : `${showValue(repeated, 80)} twice`,
      };
    }
  },
};

export const listRelations: readonly Relation[] = [
  modelStays("created"),
  modelStays("owned_by"),
  modelStays("object"),
  imagesApart,
];
