import { shortValue } from "../../core/short-value.ts";
import type { GateCondition } from "../profile/gate.ts";

/** One condition: `prompt < 6000`, `label == "chat stream"`. */
const conditionForm = /^\s*(label|model|prompt)\s*(==|!=|<=|>=|<|>)\s*(?:"([^"]*)"|'([^']*)'|(\S+))\s*$/;

/** The requests that a gate is about, from what follows its `where`: conditions joined by `and`, all of which hold. */
export function parseWhere(text: string, fail: (what: string) => never): readonly GateCondition[] {
  if (text.length > mostCharacters) return fail(`what follows where has ${text.length} characters, ${mostCharacters} are enough`);
  return splitConditions(text).map((one) => {
    const [, member, operator, double, single, bare] = conditionForm.exec(one) ?? [];
    const value = double ?? single ?? bare;
    if (value === undefined) return fail(`${shortValue(one)} is no condition: ${form}`);
    if (member === "label" || member === "model") {
      if (operator !== "==" && operator !== "!=") return fail(`a ${member} is compared with == or !=`);
      return { member, isEqual: operator === "==", value };
    }
    if (operator !== "<" && operator !== "<=" && operator !== ">" && operator !== ">=")
      return fail("the length of a prompt is compared with <, <=, > or >=");
    return /^\d{1,9}$/.test(value)
      ? { member: "prompt", operator, tokens: Number(value) }
      : fail(`${shortValue(value)} is no number of tokens`);
  });
}

const mostCharacters = 1000;
const form = 'write prompt < 6000, label == "chat stream" or model == NAME, joined by and';

/** At each ` and ` that no quotation marks hold. */
function splitConditions(text: string): readonly string[] {
  return text.split(/\s+and\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/);
}
