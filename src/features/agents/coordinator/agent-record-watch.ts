import { planLoad } from "../../../load/plan/plan-load.ts";
import { mostRecords } from "../../../load/samples/overflow.ts";
import type { LoadRecord } from "../../../load/samples/load-record.ts";
import type { EarlyEnd } from "../../../load/samples/early-end.ts";
import { createHopelessWatch } from "../../../load/send/hopeless-watch.ts";
import type { WorkOrder } from "../../../load/workers/load-workers.ts";

/** Judgements that need the records of all agents together. */
export interface AgentRecordWatch {
  /** Why all must stop, said once; null to go on. */
  observe(record: LoadRecord): EarlyEnd | null;
}

/**
 * An agent judges a gate by its own share, which rarely misses as often as the whole plan allows: the sum of all is counted
 * here. The number of records that the coordinator holds is bounded here, too: agents count those beyond their part, but not in
 * a search.
 */
export function createAgentRecordWatch(
  { profile, manifest, seed, trace }: WorkOrder,
  most: number = mostRecords,
): AgentRecordWatch {
  const { sends, attempts } = planLoad({ profile, manifest, seed, trace });
  // How late a machine was shows when its share is judged.
  const judged =
    profile.abort.hopeless && sends.length > 0 ? createHopelessWatch(profile.gates, attempts ?? sends.length, () => 0) : null;
  let records = 0;
  let stopped = false;
  return {
    observe(record) {
      records += 1;
      if (stopped) return null;
      const full: EarlyEnd | null =
        records <= most ? null : { kind: "agent", words: `the coordinator holds ${most} records, the most that it may` };
      const reason = full ?? judged?.observe(record) ?? null;
      stopped = reason !== null;
      return reason;
    },
  };
}
