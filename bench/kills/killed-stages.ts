/** A command that is killed, and what it runs against. */
export interface KilledStage {
  readonly id: string;
  readonly args: readonly string[];
  /** `live`: a service that outlives it, whose settings it changes; `embedded`: its own. */
  readonly target: "embedded" | "live";
}

export const killedStages: readonly KilledStage[] = [
  { id: "check", args: ["check", "--demo"], target: "embedded" },
  { id: "limits", args: ["limits", "--demo"], target: "embedded" },
  { id: "load", args: ["load", "--demo", "--profile", "smoke"], target: "embedded" },
  { id: "settings", args: ["check", "--suite", "settings"], target: "live" },
  { id: "spend cap under load", args: ["load", "--profile", "spend-cap"], target: "live" },
];
