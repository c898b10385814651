import type { GroupView } from "../exam/check.ts";
import { namesNoWindow } from "../history/names-no-window.ts";

/** Fewer may come of clocks that were set meanwhile. */
const fewestLabels = 3;

/** Whether no window can have begun or ended in the history: its labels lie closer together than windows. */
export function hasNoWindows({ admitted, limit, tolerances }: GroupView): boolean {
  const labels = admitted.flatMap(({ requests }) => (requests.limit === limit ? [requests.resetMs] : []));
  return namesNoWindow(labels, tolerances, fewestLabels);
}
