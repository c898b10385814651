import { models as listed } from "../../content/models.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { Operation } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { respondJson } from "../respond.ts";

export const models: Operation<null> = {
  endpoint: "models",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, lease) => {
    const { switches } = call.service;
    if (switches.on("models/crashes")) throw new TypeError("immutable");
    settleFree(lease);
    respondJson(call, 200, modelList(switches), lease.rateHeaders());
  },
};

type Members = Readonly<Record<string, unknown>>;

function modelList(switches: Switchboard): unknown {
  const data = listed.map(({ id, created }) => entry(id, created, switches));
  if (switches.on("models/bare-array")) return data;
  if (switches.on("models/named-models")) return { object: "list", models: data };
  if (switches.on("models/object-wrong")) return { object: "models", data };
  if (switches.on("models/object-absent")) return { data };
  if (switches.on("models/data-map"))
    return { object: "list", data: Object.fromEntries(listed.map(({ id }, index) => [id, data[index]])) };
  if (switches.on("models/repeated")) return { object: "list", data: [...data, data[0]] };
  if (switches.on("models/none")) return { object: "list", data: [] };
  return { object: "list", data: switches.on("models/chat-unlisted") ? data.filter((_, index) => index !== 0) : data };
}

function entry(id: string, created: number, switches: Switchboard): Members {
  const model = { id, object: "model", created, owned_by: "assay" };
  if (switches.on("models/id-absent")) return { name: id, object: "model", created, owned_by: "assay" };
  if (switches.on("models/id-empty")) return { ...model, id: "" };
  if (switches.on("models/entry-object-wrong")) return { ...model, object: "engine" };
  if (switches.on("models/created-ms")) return { ...model, created: created * 1000 };
  if (switches.on("models/created-iso")) return { ...model, created: new Date(created * 1000).toISOString() };
  if (switches.on("models/created-zero")) return { ...model, created: 0 };
  if (switches.on("models/owner-absent")) return { id, object: "model", created };
  if (switches.on("models/owner-null")) return { ...model, owned_by: null };
  return model;
}
