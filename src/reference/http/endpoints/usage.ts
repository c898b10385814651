import type { UsageQuery } from "../../engine/usage/usage-report.ts";
import type { Operation, Read } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { invalidField } from "../problem.ts";
import { validate } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import type { Call } from "../call.ts";

export const usage: Operation<UsageQuery> = {
  endpoint: "usage",
  read: readUsage,
  serve: (call, query, ticket) => {
    const { engine, seams } = call.service;
    settleFree(ticket);
    const asked = { granularity: query.granularity, keyId: call.key!.id };
    respondJson(call, 200, seams.usage.report(engine.usageReport(call.key!, query), asked), ticket.rateHeaders());
  },
};

/** A parameter that is given twice arrives as an array and is refused as such; unknown parameters are ignored. */
function readUsage(call: Call): Read<UsageQuery> {
  const { engine, seams } = call.service;
  const query = seams.usage.query({ ...(call.request.query as object) }, engine.clock.wallMs());
  const read = validate<{ readonly from: string; readonly to: string; readonly granularity?: UsageQuery["granularity"] }>(
    call,
    "usage",
    query,
  );
  if (read.kind === "refused") return read;
  const { from, to, granularity } = read.input;
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (toMs < fromMs)
    return { kind: "refused", problem: invalidField("to", "ISO 8601 timestamp with a time zone, not before the start") };
  return { kind: "read", input: { fromMs, toMs, granularity } };
}
