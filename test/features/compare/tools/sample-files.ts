/** Files after the forms that the tools write, with round figures; the meaning of each was read in the source of its tool. */
const spread = (p50: number): Readonly<Record<string, number>> => ({ p50, p90: p50 * 2, p95: p50 * 3, p99: p50 * 4 });

/** `vllm bench serve --save-result --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99` */
export function vllmFile(changes: Readonly<Record<string, unknown>> = {}): object {
  const at = (metric: string, p50: number): Readonly<Record<string, number>> => ({
    [`mean_${metric}_ms`]: p50 * 1.1,
    [`median_${metric}_ms`]: p50,
    [`std_${metric}_ms`]: 1,
    ...Object.fromEntries(Object.entries(spread(p50)).map(([name, value]) => [`${name}_${metric}_ms`, value])),
  });
  const latencies = { ...at("ttft", 100), ...at("tpot", 20), ...at("itl", 19), ...at("e2el", 1000) };
  return {
    date: "20261122-101500",
    endpoint_type: "openai-chat",
    backend: "openai-chat",
    label: null,
    model_id: "meta-llama/Llama-3.1-8B-Instruct",
    tokenizer_id: "meta-llama/Llama-3.1-8B-Instruct",
    num_prompts: 200,
    request_rate: "inf",
    burstiness: 1,
    max_concurrency: 8,
    duration: 25,
    completed: 190,
    failed: 10,
    total_input_tokens: 40_000,
    total_output_tokens: 20_000,
    request_throughput: 7.6,
    request_goodput: null,
    output_throughput: 800,
    total_token_throughput: 2400,
    ...latencies,
    ...changes,
  };
}

/** `profile_export_aiperf.json` */
export function aiperfFile(changes: Readonly<Record<string, unknown>> = {}): object {
  const timed = (p50: number): object => ({ unit: "ms", avg: p50 * 1.1, min: 1, max: p50 * 5, std: 1, ...spread(p50) });
  return {
    schema_version: "1.4",
    aiperf_version: "0.13.0",
    request_throughput: { unit: "requests/sec", avg: 7.5 },
    request_latency: timed(1100),
    request_count: { unit: "requests", avg: 195 },
    error_request_count: { unit: "requests", avg: 5 },
    time_to_first_token: timed(120),
    time_to_second_token: timed(20),
    inter_token_latency: timed(21),
    inter_chunk_latency: timed(22),
    output_token_throughput: { unit: "tokens/sec", avg: 780 },
    output_token_throughput_per_user: { unit: "tokens/sec/user", avg: 47 },
    input_config: { loadgen: { concurrency: 8, request_rate: null } },
    was_cancelled: false,
    is_complete: true,
    ...changes,
  };
}

/** `benchmarks.json` of version 2: the figures of a status stand below its name. */
export function guidellmFile(rates: readonly number[] = [5]): object {
  const distribution = (p50: number): object => ({
    successful: {
      mean: p50 * 1.1,
      median: p50,
      min: 0,
      max: p50 * 5,
      count: 190,
      percentiles: { p001: 0, p50, p90: p50 * 2, p95: p50 * 3, p99: p50 * 4, p999: p50 * 5 },
    },
    incomplete: null,
    errored: null,
  });
  return {
    metadata: { version: 2, guidellm_version: "0.8.1", python_version: "3.11.7", platform: "Linux" },
    config: { target: "http://127.0.0.1:8000" },
    benchmarks: rates.map((rate) => ({
      type_: "generative_benchmark",
      config: { strategy: { type_: "constant", rate } },
      duration: 40,
      metrics: {
        request_totals: { successful: 190, incomplete: 2, errored: 10, total: 202 },
        requests_per_second: distribution(4.7),
        request_latency: distribution(1.05),
        time_to_first_token_ms: distribution(110),
        time_per_output_token_ms: distribution(25),
        inter_token_latency_ms: distribution(20),
        output_tokens_per_second: distribution(700),
      },
    })),
  };
}

const k6Trend = { avg: 1010, min: 5, med: 1000, max: 5000, "p(90)": 2000, "p(95)": 3000 };

/** `k6 run --summary-export FILE` */
export function k6Export(changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    root_group: { name: "", path: "", groups: {}, checks: {} },
    metrics: {
      http_req_duration: k6Trend,
      http_req_waiting: k6Trend,
      iteration_duration: k6Trend,
      http_reqs: { count: 200, rate: 4 },
      http_req_failed: { passes: 0, fails: 200, value: 0 },
      vus_max: { value: 8, min: 8, max: 8 },
      ...changes,
    },
  };
}

/** `data` of handleSummary. */
export function k6Summary(): object {
  return {
    metrics: {
      http_req_duration: { type: "trend", contains: "time", values: { ...k6Trend, avg: 3 } },
      "http_req_duration{expected_response:true}": { type: "trend", contains: "time", values: k6Trend },
      http_reqs: { type: "counter", contains: "default", values: { count: 200, rate: 4 } },
      http_req_failed: { type: "rate", contains: "default", values: { rate: 0.1, passes: 20, fails: 180 } },
    },
    options: { summaryTrendStats: ["avg", "min", "med", "max", "p(90)", "p(95)"] },
    state: { isStdOutTTY: false },
  };
}

/** The summary of k6 since 1.8. */
export function k6Results(): object {
  const trend = { avg: 1010, min: 5, med: 1000, max: 5000, p90: 2000, p95: 3000 };
  const metric = (name: string, type: string, values: object): object => ({ name, type, contains: "time", values });
  return {
    version: "1.0.0",
    config: { duration: 50, execution: "local", script: "s.js" },
    metadata: { generated_at: "2026-11-25T18:58:39Z", k6_version: "1.8.1" },
    results: {
      checks: { metrics: [], results: [] },
      metrics: [
        metric("http_req_duration{expected_response:true}", "trend", trend),
        metric("http_reqs", "counter", { count: 200 }),
        metric("http_req_failed", "rate", { matches: 20, rate: 0.1, total: 200 }),
      ],
    },
  };
}

/** `stage_0_lifecycle_metrics.json` */
export function inferencePerfFile(): object {
  const seconds = (median: number): object => ({ mean: 1.1 * median, median, p90: 2 * median, p95: 3 * median, p99: 4 * median });
  return {
    load_summary: { count: 200, schedule_delay: seconds(0.001), requested_rate: 8 },
    successes: {
      count: 190,
      latency: {
        request_latency: seconds(1.2),
        time_to_first_token: seconds(0.13),
        time_per_output_token: seconds(0.02),
        normalized_time_per_output_token: seconds(0.03),
        inter_token_latency: seconds(0.02),
      },
      throughput: { requests_per_sec: 7.4, output_tokens_per_sec: 770, input_tokens_per_sec: 900, total_tokens_per_sec: 1670 },
    },
    failures: { count: 10 },
  };
}
