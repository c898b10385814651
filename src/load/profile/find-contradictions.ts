import { endpoints } from "../../core/exchange/endpoint.ts";
import { isJsonObject } from "../../core/exchange/recorded-json.ts";
import { findGateProblems } from "../gates/find-gate-problems.ts";
import type { Contradiction } from "./contradiction.ts";
import type { LoadProfile } from "./load-profile.ts";

/** A cap is crossed by purchases of one price, and only where all of that is permitted. */
function findScenarioProblems({ limitScenario, needs, workload }: LoadProfile): readonly Contradiction[] {
  if (limitScenario !== "spend-cap") return [];
  const path = ["limitScenario"];
  const missing = (["patchSettings", "exhaustLimits", "spend"] as const).filter((need) => !needs.includes(need));
  const isOnePrice = workload.length === 1 && workload[0]?.endpoint === "images";
  return [
    ...(missing.length > 0 ? [{ path, message: `spend-cap needs ${missing.join(", ")} below needs` }] : []),
    ...(isOnePrice ? [] : [{ path, message: "spend-cap buys one item of images, so that every request costs the same" }]),
  ];
}

/** What a schema cannot say. */
export function findContradictions(profile: LoadProfile): readonly Contradiction[] {
  const problems: Contradiction[] = [...findGateProblems(profile), ...findScenarioProblems(profile)];
  const report = (message: string, ...path: readonly string[]): void => {
    problems.push({ path, message });
  };
  const { arrivals } = profile;
  if (arrivals.kind === "bisect" && arrivals.lowPerSecond >= arrivals.highPerSecond) {
    report("must be below highPerSecond", "arrivals", "lowPerSecond");
  }
  if (arrivals.kind === "spike" && arrivals.atSeconds + arrivals.forSeconds > profile.durationSeconds + profile.warmUpSeconds) {
    report("the spike ends after the profile", "arrivals");
  }
  if (
    arrivals.kind === "sweep" &&
    arrivals.ratesPerSecond.some((rate, index) => rate <= (arrivals.ratesPerSecond[index - 1] ?? 0))
  ) {
    report("the rates must rise", "arrivals", "ratesPerSecond");
  }
  if (arrivals.kind === "bursts" && arrivals.bursts.some(({ at }, index) => at < (arrivals.bursts[index - 1]?.at ?? 0))) {
    report("the instants of the bursts (at) must rise", "arrivals", "bursts");
  }
  const { ttftMs, tpotMs, userLatencyMs } = profile.slo;
  if ((arrivals.kind === "sweep" || arrivals.kind === "bisect") && ttftMs === null && tpotMs === null && userLatencyMs === null) {
    report("a search for the highest rate needs a service level", "slo");
  }
  if (arrivals.kind === "sessions" && profile.workload.some((item) => item.endpoint !== "chat")) {
    report("sessions hold chat only", "workload");
  }
  // It has no budget and sees a stream as one long answer.
  const free = profile.workload.length === 1 && profile.workload.every((item) => !endpoints[item.endpoint].billable);
  if (profile.engine === "autocannon" && (arrivals.kind !== "closed" || !free)) {
    report("autocannon drives closed loops of one endpoint that costs nothing (models, usage), nothing else", "engine");
  }
  for (const [index, item] of profile.workload.entries()) {
    for (const [member, distribution] of Object.entries(item)) {
      if (isJsonObject(distribution) && Number(distribution["min"]) > Number(distribution["max"])) {
        report("min is above max", "workload", String(index), member);
      }
    }
  }
  return problems;
}
