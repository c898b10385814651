/** What a judge failed with, short enough for a line of a report: it may quote what a target sent. */
export function describeJudgeFault(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
