/** Stands in a run folder while the run goes, in place of run.json. */
export const unfinishedFile = "run.unfinished.json";
