/** Mutants that no exam of minutes can fail, on any service: left out of the counts, with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  "limits/daily-window-key": "shows a day later",
  "limits/retry-after-window": "to wait longer than needed breaks no promise (RATE-023 is a SHOULD)",
  "burst/extended-by-attempts": "whether attempts prolong a cooldown is a SHOULD (BURST-017)",
  "burst/retry-after-constant": "the whole cooldown as the wait is advice (AMB-16)",
  "burst/mixed-preference": "queued and refused within one cooldown is advice (AMB-15)",
  "spend/no-cycle-reset": "shows at the end of a billing cycle",
  "spend/account-no-cycle-reset": "shows at the end of a billing cycle",
  "spend/cycle-resets-daily": "shows a day later",
  "spend/zero-is-unlimited": "what a cap of zero means is not stated (AMB-19)",
};
