import { models as known } from "../../content/models.ts";
import type { Operation } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { respondJson } from "../respond.ts";
import type { ListedModel } from "./model-list-shape.ts";

const listed = known.map(({ id, created }): ListedModel => ({ id, object: "model", created, owned_by: "assay" }));

export const models: Operation<null> = {
  endpoint: "models",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, ticket) => {
    const shape = call.service.seams.models;
    const body = shape.list(
      listed.map((model) => shape.entry(model)),
      listed,
    );
    settleFree(ticket);
    respondJson(call, 200, body, ticket.rateHeaders());
  },
};
