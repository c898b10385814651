import { findModel } from "../../content/models.ts";

type Members = Readonly<Record<string, unknown>>;

/** A default model stands in for one that does not exist. */
export function withKnownModel(body: Members): Members {
  const { model } = body;
  return typeof model === "string" && findModel(model) === undefined ? { ...body, model: "reference-chat" } : body;
}
