/** Words of the requests that show what a template adds: two lengths, and one of them twice. */
export const templateLengths: readonly number[] = [24, 96, 24];
