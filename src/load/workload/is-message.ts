import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { ChatMessage } from "../profile/workload-item.ts";

/** Whether a value of a file is a message that a chat prompt can hold. */
export function isMessage(value: unknown): value is ChatMessage {
  if (!isJsonObject(value) || typeof value["content"] !== "string") return false;
  return value["role"] === "system" || value["role"] === "user" || value["role"] === "assistant";
}
