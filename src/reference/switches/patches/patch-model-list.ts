import { lawfulModelListShape, type ModelListShape } from "../../http/endpoints/model-list-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

export function patchModelList(switches: Switchboard): ModelListShape {
  const { entry, list, answeredAs } = lawfulModelListShape;
  let lists = 0;
  return {
    entry: firstChange(switches, entry, {
      "models/id-absent": ({ id, ...rest }) => ({ name: id, ...rest }),
      "models/id-empty": (model) => ({ ...model, id: "" }),
      "models/entry-object-wrong": (model) => ({ ...model, object: "engine" }),
      "models/created-ms": (model) => ({ ...model, created: model.created * 1000 }),
      "models/created-iso": (model) => ({ ...model, created: new Date(model.created * 1000).toISOString() }),
      "models/created-zero": (model) => ({ ...model, created: 0 }),
      "models/created-drifts": (model) => ({ ...model, created: model.created + (lists += 1) }),
      "models/owner-alternates": (model) => ({ ...model, owned_by: (lists += 1) % 3 === 0 ? "system" : model.owned_by }),
      "models/owner-absent": ({ owned_by: _owner, ...rest }) => rest,
      "models/owner-null": (model) => ({ ...model, owned_by: null }),
    }),
    list: firstChange(switches, list, {
      "models/crashes": () => {
        throw new TypeError("immutable");
      },
      "models/bare-array": (data) => data,
      "models/named-models": (models) => ({ object: "list", models }),
      "models/object-wrong": (data) => ({ object: "models", data }),
      "models/object-absent": (data) => ({ data }),
      "models/data-map": (data, models) => ({
        object: "list",
        data: Object.fromEntries(models.map(({ id }, index) => [id, data[index]])),
      }),
      "models/repeated": (data) => ({ object: "list", data: [...data, data[0]] }),
      "models/none": () => ({ object: "list", data: [] }),
      "models/chat-unlisted": (data) => ({ object: "list", data: data.slice(1) }),
    }),
    answeredAs: firstChange(switches, answeredAs, {
      "models/alias-resolved": (requested) => `${requested}-2026-11-01`,
    }),
  };
}
