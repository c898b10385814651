import type { Result } from "../../core/result/result.ts";
import { prometheusLabel } from "../escape/prometheus.ts";
import { type MetricFamily, metricFamilies, prometheusName } from "../metrics/metric-families.ts";

/** Prometheus text format 0.0.4, for a textfile collector or a push gateway. Seconds throughout; verdicts are labels of a 1. */
export function renderPrometheus(result: Result): string {
  return metricFamilies(result).map(renderFamily).join("");
}

function renderFamily(family: MetricFamily): string {
  const name = prometheusName(family);
  const lines = family.samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${prometheusLabel(String(text))}"`);
    return `${name}{${pairs.join(",")}} ${value}\n`;
  });
  return `# HELP ${name} ${family.help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}
