import { answerBugs } from "./bugs/answer-bugs.ts";
import { requestBugs } from "./bugs/request-bugs.ts";
import { tokenBugs } from "./bugs/token-bugs.ts";
import { usageBugs } from "./bugs/usage-bugs.ts";
import { waitBugs } from "./bugs/wait-bugs.ts";
import type { FieldBug } from "./field-bug.ts";

export const fieldBugs: readonly FieldBug[] = [...requestBugs, ...waitBugs, ...tokenBugs, ...usageBugs, ...answerBugs];
