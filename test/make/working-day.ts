/** A morning in the middle of a month: no end of an hour, a day or a cycle is near, whenever the tests run. Unix milliseconds. */
export const workingDayMs: number = Date.UTC(2026, 9, 14, 9);
