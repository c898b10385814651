import type { Call } from "./call.ts";

/** JSON text as it leaves: unchanged, or broken in a way that only a strict reader of the bytes notices. */
export function distortText(call: Call, status: number, text: string): string {
  const { switches } = call.service;
  if (switches.on("transport/json-trailing-comma")) return text.replace(/\}$/, ",}");
  if (switches.on("transport/json-cut")) return text.slice(0, -1);
  if (switches.on("transport/json-single-quotes") && status >= 400) return text.replaceAll('"', "'");
  if (switches.on("transport/json-duplicate-member"))
    return text.replace(/^\{(\s*"[^"]+":)/, (all, name: string) => `{${name}null,${all.slice(1)}`);
  if (switches.on("transport/json-not-a-number") && call.endpoint === "usage" && status === 200) {
    return text.replace(/"total_cost_usd":[^,}]+/, '"total_cost_usd":NaN');
  }
  return text;
}
