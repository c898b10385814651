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

/** What a result says in figures. Verdicts are labels of a 1. Families without samples are left out. */
export function metricFamilies(result: Result): readonly MetricFamily[] {
  return allFamilies(result).filter(({ samples }) => samples.length > 0);
}

function allFamilies(result: Result): readonly MetricFamily[] {
  const target = result.target.name;
  const profiles = result.load?.profiles ?? [];
  const distributions = profiles.flatMap((profile) =>
    profile.distributions.map((distribution) => ({ profile: profile.id, distribution })),
  );
  const timed = distributions.filter(({ distribution }) => distribution.unit === "ms");
  const gates = profiles.flatMap((profile) => profile.gates.map((gate) => ({ target, profile: profile.id, gate })));
  return [
    {
      name: "assay.run.exit_code",
      unit: "",
      help: "Exit code of the run.",
      samples: [[{ target, verdict: result.verdict }, result.exitCode]],
    },
    {
      name: "assay.run.start",
      unit: "s",
      help: "Begin of the run, Unix time.",
      samples: [[{ target }, Date.parse(result.startedAt) / 1000]],
    },
    { name: "assay.run.duration", unit: "s", help: "Length of the run.", samples: [[{ target }, result.durationMs / 1000]] },
    {
      name: "assay.findings",
      unit: "",
      help: "Findings by stage and verdict.",
      samples: tally(result.findings, ({ stage, verdict, baselined }) => ({ target, stage, verdict, known: String(baselined) })),
    },
    {
      name: "assay.requirements",
      unit: "",
      help: "Requirements by suite, level and verdict.",
      samples: tally(result.conformance?.requirements ?? [], ({ suite, level, verdict }) => ({ target, suite, level, verdict })),
    },
    {
      name: "assay.limit_check",
      unit: "",
      help: "One for each limit check, its verdict as a label.",
      samples: (result.limits?.policies ?? []).flatMap((policy) =>
        policy.checks.map((check): MetricFamily["samples"][number] => [
          { target, policy: policy.id, check: check.id, verdict: check.verdict },
          1,
        ]),
      ),
    },
    {
      name: "assay.gate",
      unit: "",
      help: "One for each load gate, its verdict as a label.",
      samples: gates.map(({ gate, profile }) => [{ target, profile, gate: gate.id, verdict: gate.verdict }, 1]),
    },
    {
      name: "assay.gate.observed",
      unit: "",
      help: "Observed value of a gate in the unit of its expression.",
      samples: gates.flatMap(({ gate, profile }): MetricFamily["samples"] =>
        gate.observed === null ? [] : [[{ target, profile, gate: gate.id, unit: gate.unit }, gate.observed]],
      ),
    },
    {
      name: "assay.requests",
      unit: "",
      help: "Requests of a load profile by outcome.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.outcomes).map(([outcome, count]): MetricFamily["samples"][number] => [
          { target, profile: profile.id, outcome },
          count,
        ]),
      ),
    },
    {
      name: "assay.requests.not_sent",
      unit: "",
      help: "Planned requests of a load profile that never left, by reason.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.notSent ?? {}).map(([reason, count]): MetricFamily["samples"][number] => [
          { target, profile: profile.id, reason },
          count,
        ]),
      ),
    },
    {
      name: "assay.rate_per_second",
      unit: "",
      help: "Rates of a load profile.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.rates).flatMap(([rate, value]): MetricFamily["samples"] =>
          value === null ? [] : [[{ target, profile: profile.id, rate }, value]],
        ),
      ),
    },
    {
      name: "assay.latency",
      unit: "s",
      help: "Quantiles of a latency metric; quantiles with too few samples are absent.",
      samples: timed.flatMap(({ profile, distribution }) =>
        distribution.percentiles.flatMap(({ percentile, value }): MetricFamily["samples"] =>
          value === null
            ? []
            : [
                [
                  { target, profile, ...identity(distribution), quantile: Number((percentile / 100).toPrecision(8)) },
                  value / 1000,
                ],
              ],
        ),
      ),
    },
    {
      name: "assay.latency.samples",
      unit: "",
      help: "Samples behind a latency metric.",
      samples: timed.map(({ profile, distribution }) => [{ target, profile, ...identity(distribution) }, distribution.count]),
    },
  ];
}

function identity({
  metric,
  endpoint,
  outcome,
  phase,
}: {
  metric: string;
  endpoint: string;
  outcome: string;
  phase: string;
}): MetricLabels {
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
