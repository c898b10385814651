import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import { chooseKey, requestKeys, twinKeys } from "../probe/exam-keys.ts";
import { stagesAmong, stagesOfPolicy } from "../probe/exam-stages.ts";
import { type LimitProbe, type Preparation, type PreparedProbe, notJudged } from "../probe/limit-probe.ts";
import { mostUndeclared } from "../probe/reach.ts";
import { usageRequest } from "../probe/usage-request.ts";
import { planRequests } from "../../core/declared-limit.ts";
import { declaredRequests } from "../history/declared-requests.ts";
import { drainableEndpoints, mostDrainedOf, runEndpointDrains } from "./exam/endpoint-drains.ts";
import { judgeRequests } from "./judge-requests.ts";
import { runRequestExam } from "./exam/request-exam.ts";

/** The request limit of one key: one endpoint in depth, every other one that the manifest can pay for by a short drain. */
export const requestProbe: LimitProbe = {
  judge: judgeRequests,
  prepare: (manifest, { stages }) => {
    const key = chooseKey(manifest, requestKeys);
    if (key === null) return { probes: [], notJudged: [notJudged("requests", "no-fixture", "no key named primary")] };
    const otherKey = chooseKey(manifest, twinKeys);
    const exhaust = manifest.permissions.exhaustLimits;
    const own = stagesAmong(
      stages,
      stagesOfPolicy("requests").filter((stage) => stage !== "requests.endpoints"),
    );
    // The list of models costs nothing.
    const { endpoint = "models" } = manifest.limits;
    const others =
      exhaust && stages.has("requests.endpoints") ? drainableEndpoints(manifest).filter((one) => one !== endpoint) : [];
    const requests: PreparedProbe = {
      title: `Request limit, ${endpoint}`,
      key,
      alone: false,
      stages: own,
      ...(endpoints[endpoint].billable ? { dearest: { requestsPerMinute: mostUndeclared } } : {}),
      run: (tools) =>
        runRequestExam(tools, {
          key,
          endpoint,
          otherKey,
          otherEndpoint: endpoint === "usage" ? { endpoint: "models", path: "/v1/models" } : usageRequest(tools.clock),
          exhaust,
          stages: own,
        }),
    };
    const drains: PreparedProbe = {
      title: `Request limit of ${others.join(", ")}, shortly`,
      key,
      alone: false,
      sharesKey: true,
      stages: stagesAmong(stages, ["requests.endpoints"]),
      // Of several endpoints those with the smaller bound cost most.
      dearest: { requestsPerMinute: Math.min(...others.map(mostDrainedOf)) },
      run: (tools) => runEndpointDrains(tools, { key, endpoints: others }),
    };
    return {
      probes: others.length > 0 ? [requests, drains] : [requests],
      notJudged: [
        ...(exhaust ? [] : [notJudged("requests", "not-permitted", "exhaustLimits is off, so no limit is reached")]),
        ...(otherKey === null ? [notJudged("isolation of keys", "no-fixture", "no key named secondary")] : []),
        ...(manifest.exclusive
          ? []
          : [notJudged("rejections and counting", "not-declared", "others may use the keys (exclusive is false)")]),
        ...plansNotSeen(manifest),
      ],
    };
  },
};

/** The default limit of a plan shows on a key of which the manifest says that it has this plan. */
function plansNotSeen(manifest: Manifest): Preparation["notJudged"] {
  const seen = new Set(Object.keys(manifest.keys).map((key) => declaredRequests(manifest, key)));
  return [
    ...(seen.has(planRequests.starter)
      ? []
      : [notJudged("starter plan", "no-fixture", "no key of the starter plan (keys.starter)")]),
    ...(seen.has(planRequests.pro) ? [] : [notJudged("pro plan", "not-declared", "no key is declared to have the pro plan")]),
  ];
}
