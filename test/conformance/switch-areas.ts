import type { SwitchArea } from "../../src/reference/switches/switch.ts";

/** Areas whose mutants one file asks; four files, so that four workers share them. */
export const areasOfFile: Readonly<Record<"operations" | "shape" | "text" | "limits", readonly SwitchArea[]>> = {
  operations: ["embeddings", "images", "audio", "models", "usage"],
  shape: ["auth", "errors", "headers", "transport"],
  text: ["chat", "stream"],
  limits: ["settings", "limits", "burst", "spend", "tokens"],
};
