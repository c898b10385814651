import { basename, dirname, resolve } from "node:path";
import type { ComparedCurve } from "../../../core/result/compare-result.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { useSavedResults } from "../../../command/read-saved-result.ts";
import { openReports, splitFileName } from "../tools/open-reports.ts";
import type { ToolReport } from "../tools/foreign-report.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import { curvePoints } from "../../../report/charts/curve-points.ts";

/** Points of one file: the sweeps of a run of assay; else one point for each load test that states the rate and the time of a token. */
export function readOverlay(path: string): readonly ComparedCurve[] {
  const opened = openReports(path);
  const [file, name] = splitFileName(path);
  if (opened === null) throw new UsageError(`${path} holds no result that is known`);
  const wanted = ({ id }: { readonly id: string }): boolean => name === null || name === id;
  const title = basename(basename(file) === "result.json" ? dirname(resolve(file)) : file);
  const sweeps = opened.own ? useSavedResults([file], ([result]) => runCurves(title, result!.load?.profiles.filter(wanted))) : [];
  if (sweeps.length > 0) return sweeps;
  const isAlone = opened.reports.length === 1;
  const points = opened.reports.filter(wanted).flatMap(({ id, report }) => pointOf(isAlone ? report.tool : id, report));
  if (points.length === 0)
    throw new UsageError(`${path} holds no point of a curve`, "it needs output tokens a second and the median time per token");
  const [first] = opened.reports;
  return [{ name: `${first?.report.tool ?? ""}: ${title}`, points: points.toSorted((a, b) => b.perUser - a.perUser) }];
}

function pointOf(label: string, { figures }: ToolReport): ComparedCurve["points"] {
  const at = (meaning: string, statistic: string): number | null =>
    figures.find((figure) => figure.meaning === meaning && figure.statistic === statistic)?.value ?? null;
  const tpotMs = at("time-per-token", "p50");
  const inAll = at("output-tokens-per-second", "rate");
  if (tpotMs === null || tpotMs <= 0 || inAll === null) return [];
  return [{ label, perUser: 1000 / tpotMs, inAll, ttftMs: at("first-token", "p50"), tpotMs }];
}

/** The sweeps of a run: profiles that tried several numbers of requests in flight and counted tokens. */
export function runCurves(name: string, profiles: readonly LoadProfileResult[] = []): readonly ComparedCurve[] {
  return profiles.flatMap(({ id, steps }) => {
    const points = curvePoints(steps);
    return points.length < 2
      ? []
      : [
          {
            name: `${name}: ${id}${steps.some(({ tokensEstimated }) => tokensEstimated === true) ? ", tokens counted by chunks" : ""}`,
            points,
          },
        ];
  });
}
