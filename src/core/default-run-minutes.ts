/** Minutes of real time for all of a run but load, where the manifest sets no `budget.maxMinutes`. */
export const defaultRunMinutes = 120;
