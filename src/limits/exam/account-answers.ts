import { groupBy } from "../../core/group-by.ts";
import type { LimitAccount } from "../../core/result/limits-result.ts";
import type { AccountEntry } from "../../core/result/operation-account.ts";
import type { ReplaySign } from "../history/find-replays.ts";
import { groupId, type History } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";

/** Keeps the account of what each policy was judged from: no answer drops out without a name. */
export function accountAnswers({ ops, groups, replays }: Pick<History, "ops" | "groups" | "replays">): readonly LimitAccount[] {
  // Requests of any purpose count against the request limit of their key and endpoint.
  const requests = [...groups]
    .filter(([, members]) => members.some(({ policy }) => policy === "requests"))
    .map(([id, members]) => [`requests/${id}`, members] as const);
  const own = ops.filter(({ policy }) => policy !== "" && policy !== "requests");
  const others = groupBy(own, ({ policy, key, endpoint }) => `${policy}/${groupId(key, endpoint)}`);
  return [...requests, ...others]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([policy, members]) => {
      const leftOut = replaysAmong(members, replays);
      const left = leftOut.reduce((sum, { count }) => sum + count, 0);
      return { policy, sent: members.length, judged: members.length - left, leftOut };
    });
}

function replaysAmong(ops: readonly LimitOp[], replays: ReadonlyMap<number, ReplaySign>): readonly AccountEntry[] {
  const signs = ops.map(({ seq }) => replays.get(seq)).filter((sign) => sign !== undefined);
  const ages = signs.flatMap((sign) => (sign.kind === "age" ? [sign.seconds] : []));
  const countOf = (kind: ReplaySign["kind"]): number => signs.filter((sign) => sign.kind === kind).length;
  const [repeated, reports] = [countOf("repeated"), countOf("same-report")];
  return [
    ...(ages.length === 0 ? [] : [{ reason: `from a cache (Age ${rangeOf(ages)} s)`, count: ages.length }]),
    ...(repeated === 0 ? [] : [{ reason: "from a cache (Date and id of an earlier answer)", count: repeated }]),
    ...(reports === 0 ? [] : [{ reason: "from a cache (Date and content of an earlier report)", count: reports }]),
  ];
}

function rangeOf(values: readonly number[]): string {
  const least = values.reduce((one, other) => Math.min(one, other));
  const most = values.reduce((one, other) => Math.max(one, other));
  return least === most ? String(least) : `${least} to ${most}`;
}
