import type { KeyChange, KeyChangeOutcome } from "../../../engine/settings/settings-change.ts";
import type { SettingsAnswers } from "../../../http/endpoints/settings-answers.ts";
import type { SeenCall } from "../../../http/seen-call.ts";
import type { ActiveOperators } from "./active-operators.ts";
import type { Crowd } from "./crowd.ts";

/** How long after its answer a late change is applied, ms on the clock of the service. */
const lateMs = 600_000;

/** Changes of settings that are lost, come late, reach other keys, or set other values. */
export function operateOnSettings(settings: SettingsAnswers, active: ActiveOperators, crowd: Crowd): SettingsAnswers {
  return {
    ...settings,
    carriedOut: (id, asked, applyOne, call) => {
      const { clock } = call.service.engine;
      const change = otherChange(active, call, asked, crowd);
      const apply = (part: KeyChange): readonly KeyChangeOutcome[] =>
        otherKeys(active, call, id).map((target) => settings.carriedOut(target, part, applyOne, call));
      const isLate = active(call).some((operator) => operator.kind === "setting" && operator.defect === "late");
      if (isLate) clock.at(clock.wallMs() + lateMs, () => void apply(change));
      const [outcome] = apply(isLate ? {} : change) as [KeyChangeOutcome];
      return outcome;
    },
  };
}

function otherChange(active: ActiveOperators, call: SeenCall, change: KeyChange, crowd: Crowd): KeyChange {
  let next: Readonly<Record<string, number | null | undefined>> = { ...change };
  for (const operator of active(call)) {
    if (operator.kind !== "setting") continue;
    const { [operator.member]: value, ...rest } = next;
    if (value === undefined) continue;
    if (operator.defect === "lost" || (operator.defect === "lost-at-once" && crowd.count > 1)) next = rest;
    if (operator.defect === "doubled") next = { ...rest, [operator.member]: value === null ? null : 2 * value };
  }
  return next;
}

/** The keys that a change reaches. */
function otherKeys(active: ActiveOperators, call: SeenCall, id: string): readonly string[] {
  const { keys } = call.service.engine;
  const changed = keys.byId(id);
  let ids: readonly string[] = [id];
  for (const operator of active(call)) {
    if (operator.kind !== "setting" || changed === undefined) continue;
    if (operator.defect === "to-asking-key") ids = [call.key?.id ?? id];
    if (operator.defect === "to-another-key") ids = [keys.byName("secondary")?.id ?? id];
    if (operator.defect === "to-all-keys") ids = keys.list().flatMap((key) => (key.account === changed.account ? [key.id] : []));
  }
  return ids;
}
