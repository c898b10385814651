import type { Members } from "./members.ts";

/** The definition of a tool without parameters, in the form that clients send. */
export const lookUpTool: Members = {
  type: "function",
  function: { name: "look_up", description: "Looks a word up.", parameters: { type: "object", properties: {} } },
};
