/**
 * Runs before the interval over them may end a repeated profile: three that agree by chance would be the last ones. Of intervals that
 * five runs or more ended, 93 of 100 and more hold the mean (test/load/judge/describe-repeat-end.test.ts).
 */
export const leastRepeats = 5;
