import type { Result } from "../../core/result/result.ts";
import { showInvisible } from "../escape/visible.ts";
import { type MetricFamily, metricFamilies } from "../metrics/metric-families.ts";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

/**
 * An ExportMetricsServiceRequest of OTLP 1.x in its JSON encoding (opentelemetry-proto, metrics/v1): gauges at the end of the run. Times are
 * decimal texts, as 64-bit integers are in that encoding.
 */
export function renderOtlp(result: Result): string {
  const endMs = Date.parse(result.startedAt) + result.durationMs;
  const timeUnixNano = `${BigInt(Math.round(endMs)) * 1_000_000n}`;
  const resource = {
    "service.name": "assay",
    "service.version": result.tool.version,
    "assay.target": result.target.name,
    "assay.run": result.runId,
  };
  const request = {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [
          {
            scope: { name: "assay", version: result.tool.version },
            metrics: metricFamilies(result).map((family) => renderMetric(family, timeUnixNano)),
          },
        ],
      },
    ],
  };
  return `${JSON.stringify(request)}\n`;
}

function renderMetric({ name, unit, help, samples }: MetricFamily, timeUnixNano: string): object {
  const dataPoints = samples.map(([labels, value]) => ({ attributes: attributesOf(labels), timeUnixNano, asDouble: value }));
  return { name, description: help, unit, gauge: { dataPoints } };
}

function attributesOf(labels: Readonly<Record<string, string | number>>): readonly Attribute[] {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: showInvisible(String(value)) } }));
}
