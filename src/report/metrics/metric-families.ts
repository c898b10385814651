import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { profileLabels } from "../../core/result/profile-labels.ts";
import type { Result } from "../../core/result/result.ts";

export type MetricLabels = Readonly<Record<string, string | number>>;

/** One metric with its samples; a gauge, as a run is over when it is exported. */
export interface MetricFamily {
  /** In the form of OpenTelemetry: `assay.latency`. Own names throughout: those of public conventions mean what a server measures. */
  readonly name: string;
  /** `s`, or empty for what has no unit. */
  readonly unit: "s" | "";
  readonly help: string;
  readonly samples: readonly (readonly [labels: MetricLabels, value: number])[];
}

/** `assay_latency_seconds`: the name under which Prometheus has it, whether it was scraped or came over OTLP. */
export function prometheusName({ name, unit }: Pick<MetricFamily, "name" | "unit">): string {
  return `${name.replaceAll(".", "_")}${unit === "s" ? "_seconds" : ""}`;
}

type Sample = MetricFamily["samples"][number];

/** The figures of a result, as families of metrics. Verdicts are labels of a 1. Families without samples are left out. */
export function metricFamilies(result: Result): readonly MetricFamily[] {
  return allFamilies(result).filter(({ samples }) => samples.length > 0);
}

function allFamilies(result: Result): readonly MetricFamily[] {
  const target = result.target.name;
  const profiles = result.load?.profiles ?? [];
  const timed = profiles.flatMap((profile) =>
    profile.distributions
      .filter(({ unit }) => unit === "ms")
      .map((distribution) => ({ labels: { target, ...profileLabels(profile), ...identity(distribution) }, distribution })),
  );
  const gates = profiles.flatMap((profile) =>
    profile.gates.map((gate) => ({ labels: { target, ...profileLabels(profile), gate: gate.id }, gate })),
  );
  const checks = (result.limits?.policies ?? []).flatMap(({ id: policy, checks: own }) =>
    own.map(({ id: check, verdict }): Sample => [{ target, policy, check, verdict }, 1]),
  );
  /** A sample for each entry of a record of every profile; `label` names its key. */
  const byEntry = (
    label: string,
    entriesOf: (profile: LoadProfileResult) => Readonly<Record<string, number | null>>,
  ): readonly Sample[] =>
    profiles.flatMap((profile) =>
      Object.entries(entriesOf(profile)).flatMap(([key, value]): readonly Sample[] =>
        value === null ? [] : [[{ target, ...profileLabels(profile), [label]: key }, value]],
      ),
    );
  const findings = tally(result.findings, ({ stage, verdict, baselined }) => ({
    target,
    stage,
    verdict,
    known: String(baselined),
  }));
  const rows = tally(result.conformance?.requirements ?? [], ({ suite, level, verdict }) => ({ target, suite, level, verdict }));
  return [
    family("assay.run.exit_code", "Exit code of the run.", [[{ target, verdict: result.verdict }, result.exitCode]]),
    family("assay.run.start", "Begin of the run, Unix time.", [[{ target }, Date.parse(result.startedAt) / 1000]], "s"),
    family("assay.run.duration", "Length of the run.", [[{ target }, result.durationMs / 1000]], "s"),
    family("assay.findings", "Findings by stage and verdict.", findings),
    family("assay.requirements", "Requirements by suite, level and verdict.", rows),
    family("assay.limit_check", "One for each limit check, its verdict as a label.", checks),
    family(
      "assay.gate",
      "One for each load gate, its verdict as a label.",
      gates.map(({ gate, labels }) => [{ ...labels, verdict: gate.verdict }, 1]),
    ),
    family(
      "assay.gate.observed",
      "Observed value of a gate in the unit of its expression.",
      gates.flatMap(({ gate, labels }): readonly Sample[] =>
        gate.observed === null ? [] : [[{ ...labels, unit: gate.unit }, gate.observed]],
      ),
    ),
    family(
      "assay.requests",
      "Requests of a load profile by outcome.",
      byEntry("outcome", ({ outcomes }) => outcomes),
    ),
    family(
      "assay.requests.not_sent",
      "Planned requests of a load profile that never left, by reason.",
      byEntry("reason", ({ notSent = {} }) => notSent),
    ),
    family(
      "assay.rate_per_second",
      "Rates of a load profile.",
      byEntry("rate", ({ rates }) => ({ ...rates })),
    ),
    family(
      "assay.latency",
      "Quantiles of a latency metric; quantiles with too few samples are absent.",
      timed.flatMap(({ labels, distribution }) =>
        distribution.percentiles.flatMap(({ percentile, value }): readonly Sample[] => {
          const quantile = Number((percentile / 100).toPrecision(8));
          return value === null ? [] : [[{ ...labels, quantile }, value / 1000]];
        }),
      ),
      "s",
    ),
    family(
      "assay.latency.samples",
      "Samples behind a latency metric.",
      timed.map(({ labels, distribution }) => [labels, distribution.count]),
    ),
  ];
}

function family(name: string, help: string, samples: readonly Sample[], unit: MetricFamily["unit"] = ""): MetricFamily {
  return { name, unit, help, samples };
}

function identity({ metric, endpoint, outcome, phase }: LoadDistribution): MetricLabels {
  return { metric, endpoint, outcome, phase };
}

function tally<T>(items: readonly T[], labelsOf: (item: T) => MetricLabels): MetricFamily["samples"] {
  const counts = new Map<string, [MetricLabels, number]>();
  for (const item of items) {
    const labels = labelsOf(item);
    const name = JSON.stringify(labels);
    const entry = counts.get(name) ?? [labels, 0];
    entry[1] += 1;
    counts.set(name, entry);
  }
  return [...counts.values()];
}
