import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import { startReferenceService } from "../../../src/index.ts";
import { metricFamilies, prometheusName } from "../../../src/report/metrics/metric-families.ts";
import { parseReporter } from "../../../src/report/reporters/parse-reporter.ts";
import { renderOtlp } from "../../../src/report/reporters/otlp.ts";
import { renderPrometheus } from "../../../src/report/reporters/prometheus.ts";
import { collectorOf, sendReport } from "../../../src/run/record/send-report.ts";
import { readResult, runAssay } from "../../cli/run-assay.ts";
import { hostileStrings } from "../../make/hostile/hostile-strings.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";
import { keep } from "../../make/keep.ts";
import { serveHttp } from "../../make/wire/test-server.ts";

const { result } = buildSample();
const families = metricFamilies(result);

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Collector {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A collector that answers with these statuses in turn, the last one again and again; null: it never answers. */
async function collect(statuses: readonly (number | null)[] = [200], answer = "{}"): Promise<Collector> {
  const received: Received[] = [];
  const { url } = await serveHttp((request, response) => {
    void (async () => {
      const body = await text(request);
      const status = statuses[Math.min(received.length, statuses.length - 1)] ?? null;
      received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
      if (status !== null)
        response.writeHead(status, { "content-type": "application/json", location: "http://127.0.0.1:9/" }).end(answer);
    })();
  });
  return { url, received };
}

interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly gauge: {
    readonly dataPoints: readonly {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
      readonly timeUnixNano: string;
      readonly asDouble: number;
    }[];
  };
}

function otlpMetrics(text: string): readonly OtlpMetric[] {
  const request = JSON.parse(text) as { resourceMetrics: { scopeMetrics: { metrics: OtlpMetric[] }[] }[] };
  return request.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}

describe("metrics of a result", () => {
  it("are the same figures over OTLP and in the text format, under names that translate into each other", () => {
    const overOtlp = otlpMetrics(renderOtlp(result)).flatMap(({ name, unit, gauge }) =>
      gauge.dataPoints.map(({ attributes, asDouble }) => {
        const labels = attributes.map(
          ({ key, value }) => `${key}="${value.stringValue.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`,
        );
        return `${prometheusName({ name, unit: unit === "s" ? "s" : "" })}{${labels.join(",")}} ${asDouble}`;
      }),
    );
    const scraped = renderPrometheus(result)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(overOtlp).toEqual(scraped);
    expect(scraped.length).toBeGreaterThan(100);
  });

  it("stand at the end of the run, in nanoseconds as text", () => {
    const [first] = otlpMetrics(renderOtlp(result))[0]!.gauge.dataPoints;
    expect(first!.timeUnixNano).toBe(`${Date.parse(result.startedAt) + result.durationMs}000000`);
  });

  it("have names of their own, valid in both worlds, and no name of a public convention", () => {
    for (const { name, unit, samples } of families) {
      expect(name).toMatch(/^assay(?:\.[a-z][a-z_]*)+$/);
      expect(["s", ""]).toContain(unit);
      expect(samples.length).toBeGreaterThan(0);
      for (const [labels] of samples) for (const label of Object.keys(labels)) expect(label).toMatch(/^[a-z_]+$/);
    }
    expect(new Set(families.map(prometheusName)).size).toBe(families.length);
  });

  it("are listed on docs/metrics.md, each with its labels", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../../docs/metrics.md"), "utf8");
    const listed = [...page.matchAll(/^\| `(assay_\w+)` \| `(assay[\w.]+)` \| ([^|]*) \|/gm)].map(([, name, otlp, labels]) => ({
      name,
      otlp,
      labels,
    }));
    const due = families.map((family) => {
      const labels = [...new Set(family.samples.flatMap(([each]) => Object.keys(each)))];
      return { name: prometheusName(family), otlp: family.name, labels: labels.map((label) => `\`${label}\``).join(", ") };
    });
    expect(listed).toEqual(due);
  });

  it("let no byte of a target out of its label", () => {
    const hostile = buildSample({ hostile: true }).result;
    expect(() => otlpMetrics(renderOtlp(hostile))).not.toThrow();
    for (const line of renderPrometheus(hostile).split("\n"))
      expect(line).toMatch(/^(?:|# (?:HELP|TYPE) assay_.*|assay_\w+\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\} [-+.\de]+)$/);
    expect(hostileStrings.length).toBeGreaterThan(0);
  });
});

describe("sending metrics", () => {
  it("posts OTLP to /v1/metrics with the headers of the environment, and puts text to a push gateway", async () => {
    const { url, received } = await collect();
    const env = { OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b, authorization=Bearer%20s3cret,bad name=x,evil=a%0d%0ab" };
    await sendReport("otlp", url, renderOtlp(result), { env });
    await sendReport("otlp", `${url}/otlp/v1/metrics`, "{}", { env: {} });
    await sendReport("prometheus", url, renderPrometheus(result), { env });
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /v1/metrics",
      "POST /otlp/v1/metrics",
      "PUT /metrics/job/assay",
    ]);
    expect(received[0]!.headers).toMatchObject({
      "content-type": "application/json",
      "x-tenant": "a b",
      authorization: "Bearer s3cret",
    });
    expect(received[0]!.headers).not.toHaveProperty("evil");
    expect(received[2]!.headers).not.toHaveProperty("authorization");
    expect(otlpMetrics(received[0]!.body)).toHaveLength(families.length);
  });

  it("tries again where OTLP says so, and nowhere else; follows no redirect", async () => {
    const busy = await collect([503, 429, 200]);
    await sendReport("otlp", busy.url, "{}", { env: {} });
    expect(busy.received).toHaveLength(3);
    for (const status of [400, 302, 500]) {
      const refusing = await collect([status]);
      await expect(sendReport("otlp", refusing.url, "{}", { env: {} })).rejects.toThrow(`answered ${status}`);
      expect(refusing.received).toHaveLength(1);
    }
    const always = await collect([503]);
    await expect(sendReport("otlp", always.url, "{}", { env: {} })).rejects.toThrow("answered 503");
    expect(always.received).toHaveLength(3);
  });

  it("says that points were refused, that nobody listens, and that nobody answers in time", async () => {
    const partial = await collect([200], '{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"no"}}');
    await expect(sendReport("otlp", partial.url, "{}", { env: {} })).rejects.toThrow("refused 3 data points");
    await expect(sendReport("otlp", "http://127.0.0.1:9", "{}", { env: {} })).rejects.toThrow("ECONNREFUSED");
    const silent = await collect([null]);
    await expect(sendReport("otlp", silent.url, "{}", { env: { OTEL_EXPORTER_OTLP_TIMEOUT: "80" } })).rejects.toThrow(
      "within 80 ms",
    );
    await expect(sendReport("junit", silent.url, "", { env: {} })).rejects.toThrow("writes files");
  });

  it("finds the collector that the environment names, for OTLP alone", () => {
    expect(collectorOf("otlp", {})).toBeNull();
    expect(collectorOf("otlp", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/" })).toBe("http://c:4318/v1/metrics");
    expect(
      collectorOf("otlp", { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://c/x", OTEL_EXPORTER_OTLP_ENDPOINT: "http://d" }),
    ).toBe("http://c/x");
    expect(collectorOf("otlp", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toBe("http://collector:4318/v1/metrics");
    expect(collectorOf("prometheus", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" })).toBeNull();
  });

  it.each([
    "otlp=http://user:s3cret@c",
    "otlp=http://c/?key=s3cret",
    "prometheus=https://c/#s3cret",
    "junit=http://c",
    "otlp=http://",
  ])("refuses %s, as the command line is recorded", (flag) => {
    const parsed = parseReporter(flag);
    expect(parsed).toHaveProperty("problem");
    expect(JSON.stringify(parsed)).not.toContain("s3cret");
  });

  it("reaches a collector from the command, and one that is down changes neither verdict nor exit code", async () => {
    const service = keep(await startReferenceService({ seed: 10 }));
    const { url, received } = await collect();
    const env = { ASSAY_API_KEY: service.manifest.keys["primary"]!.secret };
    const args = ["check", "--base-url", service.url, "--suite", "models"];
    const good = await runAssay([...args, "--reporter", `otlp=${url}`, "--reporter", "otlp=metrics.json"], { env });
    expect(good.exitCode).toBe(0);
    expect(otlpMetrics(received[0]!.body).map(({ name }) => name)).toContain("assay.run.exit_code");
    expect(JSON.parse(readFileSync(join(good.folder, "metrics.json"), "utf8"))).toEqual(JSON.parse(received[0]!.body));
    const down = await runAssay([...args, "--reporter", "otlp=http://127.0.0.1:9"], { env });
    expect(down.exitCode).toBe(0);
    expect(down.stderr).toContain("otlp was not sent: 127.0.0.1:9 ECONNREFUSED");
    expect(readResult(down.folder)).toMatchObject({ verdict: "passed", exitCode: 0 });
    const named = await runAssay([...args, "--reporter", "otlp"], { env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    expect({ exitCode: named.exitCode, received: received.length }).toEqual({ exitCode: 0, received: 2 });
  });
});

describe("the dashboard", () => {
  interface Dashboard {
    readonly panels: readonly {
      readonly title: string;
      readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
    }[];
    readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[] };
  }
  const dashboard = JSON.parse(
    readFileSync(resolve(import.meta.dirname, "../../../dashboards/grafana.json"), "utf8"),
  ) as Dashboard;
  const queries = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );
  // Every metric of load that a run can measure: the committed sample holds them.
  const sampleFile = readFileSync(resolve(import.meta.dirname, "../../../reports/sample/result.json.gz"));
  const measured = JSON.parse(gunzipSync(sampleFile).toString("utf8")) as Result;
  const series = [...families, ...metricFamilies(measured)].flatMap((family) =>
    family.samples.map(([labels]) => ({
      name: prometheusName(family),
      labels: Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)])),
    })),
  );
  const resolveVariables = (expr: string): string => expr.replaceAll(/\$(?:target|profile)/g, ".*");

  /** Selectors of a query as the parser of Prometheus reads them; throws where it cannot. */
  function selectorsOf(query: string): readonly {
    readonly name: string;
    readonly matchers: readonly (readonly [label: string, operator: string, value: string])[];
  }[] {
    const selectors: { name: string; matchers: [string, string, string][] }[] = [];
    parser.parse(query).iterate({
      enter: ({ name, from, to, type }) => {
        if (type.isError) throw new Error(`${query}: cannot be parsed at ${from}`);
        if (name !== "VectorSelector") return;
        const text = query.slice(from, to);
        const matchers = [...text.matchAll(/([a-z_]+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(
          ([, label, operator, value]): [string, string, string] => [label!, operator!, value!],
        );
        selectors.push({ name: /^\w+/.exec(text)![0], matchers });
      },
    });
    return selectors;
  }

  function matches(
    labels: Readonly<Record<string, string>>,
    [label, operator, value]: readonly [string, string, string],
  ): boolean {
    const found = labels[label];
    if (found === undefined) return false;
    const same = operator.endsWith("~") ? new RegExp(`^(?:${value})$`).test(found) : found === value;
    return operator.startsWith("!") ? !same : same;
  }

  it("has queries that the parser of Prometheus takes, and one of nonsense it does not", () => {
    expect(queries.length).toBeGreaterThan(12);
    expect(() => selectorsOf('sum by (a (x{b="c"})')).toThrow("cannot be parsed");
  });

  it.each(queries)("finds series for every selector of: $title", ({ expr, legendFormat }) => {
    const query = resolveVariables(expr);
    const selectors = selectorsOf(query);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { name, matchers } of selectors) {
      const found = series.filter((each) => each.name === name && matchers.every((matcher) => matches(each.labels, matcher)));
      expect({ name, matchers, found: found.length > 0 }).toEqual({ name, matchers, found: true });
    }
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(", "));
    const exported = series
      .filter((each) => selectors.some(({ name }) => name === each.name))
      .flatMap((each) => Object.keys(each.labels));
    for (const label of grouped) expect(exported).toContain(label);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(grouped).toContain(label);
  });

  it("takes its variables from labels that are exported", () => {
    for (const { query } of dashboard.templating.list.filter(({ type }) => type === "query")) {
      const [, name, label] = /^label_values\((\w+), (\w+)\)$/.exec(query)!;
      expect(series.some((each) => each.name === name && Object.hasOwn(each.labels, label!))).toBe(true);
    }
  });
});
