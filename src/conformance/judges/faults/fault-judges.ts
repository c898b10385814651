import type { Judge } from "../../judging/judge.ts";
import { blockedAccount } from "./blocked-account.ts";
import { freshKey } from "./fresh-key.ts";
import { serverErrors } from "./server-errors.ts";

export const faultJudges: readonly Judge[] = [serverErrors, blockedAccount, freshKey];
