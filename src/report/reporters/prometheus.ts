import type { Result } from "../../core/result/result.ts";
import { prometheusLabel } from "../escape/prometheus.ts";

type Labels = Readonly<Record<string, string | number>>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly (readonly [labels: Labels, value: number])[];
}

/** Prometheus text format 0.0.4, for a textfile collector or a push gateway. Seconds throughout; verdicts are labels of a 1. */
export function renderPrometheus(result: Result): string {
  return families(result)
    .filter((family) => family.samples.length > 0)
    .map(renderFamily)
    .join("");
}

function renderFamily({ name, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${prometheusLabel(String(text))}"`);
    return `${name}{${pairs.join(",")}} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function families(result: Result): readonly Family[] {
  const target = result.target.name;
  const profiles = result.load?.profiles ?? [];
  const distributions = profiles.flatMap((profile) =>
    profile.distributions.map((distribution) => ({ profile: profile.id, distribution })),
  );
  const timed = distributions.filter(({ distribution }) => distribution.unit === "ms");
  const gates = profiles.flatMap((profile) => profile.gates.map((gate) => ({ target, profile: profile.id, gate })));
  return [
    {
      name: "assay_run_exit_code",
      help: "Exit code of the run.",
      samples: [[{ target, verdict: result.verdict }, result.exitCode]],
    },
    {
      name: "assay_run_start_seconds",
      help: "Begin of the run, Unix time.",
      samples: [[{ target }, Date.parse(result.startedAt) / 1000]],
    },
    { name: "assay_run_duration_seconds", help: "Length of the run.", samples: [[{ target }, result.durationMs / 1000]] },
    {
      name: "assay_findings",
      help: "Findings by stage and verdict.",
      samples: tally(result.findings, ({ stage, verdict, baselined }) => ({ target, stage, verdict, known: String(baselined) })),
    },
    {
      name: "assay_requirements",
      help: "Requirements by suite, level and verdict.",
      samples: tally(result.conformance?.requirements ?? [], ({ suite, level, verdict }) => ({ target, suite, level, verdict })),
    },
    {
      name: "assay_limit_check",
      help: "One for each limit check, its verdict as a label.",
      samples: (result.limits?.policies ?? []).flatMap((policy) =>
        policy.checks.map((check): Family["samples"][number] => [
          { target, policy: policy.id, check: check.id, verdict: check.verdict },
          1,
        ]),
      ),
    },
    {
      name: "assay_gate",
      help: "One for each load gate, its verdict as a label.",
      samples: gates.map(({ gate, profile }) => [{ target, profile, gate: gate.id, verdict: gate.verdict }, 1]),
    },
    {
      name: "assay_gate_observed",
      help: "Observed value of a gate in the unit of its expression.",
      samples: gates.flatMap(({ gate, profile }): Family["samples"] =>
        gate.observed === null ? [] : [[{ target, profile, gate: gate.id, unit: gate.unit }, gate.observed]],
      ),
    },
    {
      name: "assay_requests",
      help: "Requests of a load profile by outcome.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.outcomes).map(([outcome, count]): Family["samples"][number] => [
          { target, profile: profile.id, outcome },
          count,
        ]),
      ),
    },
    {
      name: "assay_requests_not_sent",
      help: "Planned requests of a load profile that never left, by reason.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.notSent ?? {}).map(([reason, count]): Family["samples"][number] => [
          { target, profile: profile.id, reason },
          count,
        ]),
      ),
    },
    {
      name: "assay_rate_per_second",
      help: "Rates of a load profile.",
      samples: profiles.flatMap((profile) =>
        Object.entries(profile.rates).flatMap(([rate, value]): Family["samples"] =>
          value === null ? [] : [[{ target, profile: profile.id, rate }, value]],
        ),
      ),
    },
    {
      name: "assay_latency_seconds",
      help: "Quantiles of a latency metric; quantiles with too few samples are absent.",
      samples: timed.flatMap(({ profile, distribution }) =>
        distribution.percentiles.flatMap(({ percentile, value }): Family["samples"] =>
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
      name: "assay_latency_samples",
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
}): Labels {
  return { metric, endpoint, outcome, phase };
}

function tally<T>(items: readonly T[], labelsOf: (item: T) => Labels): Family["samples"] {
  const counts = new Map<string, [Labels, number]>();
  for (const item of items) {
    const labels = labelsOf(item);
    const name = JSON.stringify(labels);
    const entry = counts.get(name) ?? [labels, 0];
    entry[1] += 1;
    counts.set(name, entry);
  }
  return [...counts.values()];
}
