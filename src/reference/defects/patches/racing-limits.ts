/** Switches that write the counter of requests some time after reading it. */
export const racingLimits: readonly string[] = [
  "limits/lost-updates",
  "limits/check-then-increment",
  "limits/bucket-read-modify-write",
  "limits/log-check-then-add",
];
