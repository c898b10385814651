import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const chatVariants: readonly Variant[] = [
  variant("chat/unknown-finish-reason", "Natural ends are called end_turn", "Other values are not shown (AMB-02).", {
    changes: ["CMPL-016", "CMPL-017", "XOAI-008"],
  }),
  variant(
    "chat/small-context",
    "Conversations of more than 2,500 characters are refused",
    "How long an input may be is not stated.",
  ),
  variant("chat/tool-content-empty", "content is empty beside tool calls", "Messages with tool calls are not shown (AMB-01)."),
  variant("chat/unknown-model-served", "A default model answers for one that does not exist", "Every outcome is open (AMB-06).", {
    changes: ["CHAT-004"],
  }),
  variant("chat/model-other", "The response names a model that is not listed", "Only a SHOULD asks for equality (AMB-42).", {
    changes: ["CMPL-007", "XOAI-005"],
  }),
  variant("chat/types-unchecked", "Members of the wrong type are ignored", "Wrong types are not named as failures (AMB-05).", {
    changes: ["CHAT-013", "CHAT-015", "CHAT-022", "CHAT-025", "CHAT-030", "CHAT-037", "ERR-023"],
  }),
];
