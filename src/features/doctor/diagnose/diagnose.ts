import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../../../core/clock.ts";
import type { Exchange, TransportFailure } from "../../../core/exchange/exchange.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { readWallOffset, type WallOffset } from "../../../wire/clock/wall-offset.ts";
import { diagnosis, type Diagnosis } from "../../../command/diagnosis.ts";
import {
  judgeAuthentication,
  judgeBasePath,
  judgeCredential,
  judgeHttp,
  judgeKeepAlive,
  judgeRateLimitHeaders,
  judgeRoundTrip,
} from "./doctor-judgements.ts";
import { readOpenFiles } from "../../../load/generator/read-open-files.ts";
import { explainTls } from "../../../core/exchange/explain-tls.ts";
import { parseHttpUrl } from "../../../wire/http/target-url.ts";
import { createWire, type Wire } from "../../../wire/client/wire.ts";

export interface DoctorOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Called as soon as each thing is known. */
  readonly onDiagnosis?: (diagnosis: Diagnosis) => void;
  /** Called with the answer to GET /v1/models, with the primary key where there is one. */
  readonly onAnswer?: (answer: Exchange) => void;
}

/** Requests without a key that time the target's Date field. */
const clockProbes = 4;

/** Longest time from the request to the last byte of a list of models or of a refusal. */
const longestAnswerMs = 40_000;

/** Descriptors below which larger load profiles cannot run. */
const comfortableDescriptors = 4096;

/** Looks at a target with at most ten requests, none of which changes anything or costs tokens. */
export async function diagnose(manifest: Manifest, options: DoctorOptions): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  const report = (...diagnoses: readonly Diagnosis[]): void => {
    for (const one of diagnoses) {
      found.push(one);
      options.onDiagnosis?.(one);
    }
  };
  report(diagnoseDescriptors());
  const host = parseHttpUrl(manifest.target.baseUrl).hostname.replace(/^\[|\]$/g, "");
  const { proxy } = manifest.target;
  const address =
    proxy == null
      ? await diagnoseAddress(host)
      : diagnosis("address", "skipped", `${host} is resolved by the proxy ${new URL(proxy).origin}`);
  report(address);
  if (address.status === "failed") return found;
  const wire = createWire({ manifest, clock: options.clock, ...(options.signal ? { signal: options.signal } : {}) });
  try {
    const { failures } = await wire.warm([0]);
    report(diagnoseConnection(failures[0] ?? null, proxy ?? null));
    if (failures.length > 0) return found;
    await diagnoseService(wire, manifest, options, report);
  } finally {
    await wire.close();
  }
  return found;
}

async function diagnoseService(
  wire: Wire,
  manifest: Manifest,
  options: DoctorOptions,
  report: (...diagnoses: readonly Diagnosis[]) => void,
): Promise<void> {
  const bare = await probe(wire, null);
  report(judgeHttp(bare));
  // Every further request would break off as well, or be waited for as long.
  if (bare.response === null || bare.failure !== null) return;
  const keyed = manifest.keys["primary"] ? await probe(wire, "primary") : null;
  const again = await probe(wire, manifest.keys["primary"] ? "primary" : null);
  const answer = keyed?.response ? keyed : bare;
  options.onAnswer?.(answer);
  const shorter = withoutVersionPrefix(manifest);
  const alternative = answer.response?.status === 404 && shorter ? await probeAlone(shorter, options) : null;
  const basePath = judgeBasePath(
    answer,
    alternative === null ? null : { baseUrl: shorter!.target.baseUrl, exchange: alternative },
  );
  report(basePath);
  // Answers of something else say nothing about keys and limits of the API.
  if (basePath.status === "failed") {
    const why = "not judged: the API was not found at this base URL";
    report(...(["authentication", "credential", "rate-limit-headers"] as const).map((check) => diagnosis(check, "skipped", why)));
  } else {
    report(judgeAuthentication(bare), judgeCredential(keyed));
    report(judgeRateLimitHeaders(keyed ?? bare));
  }

  const timed: Exchange[] = [bare];
  let offset = readWallOffset(timed);
  for (let count = 0; count < clockProbes && offset !== null && !offset.split; count += 1) {
    await options.clock.sleep(msToNextSecond(offset, options.clock.wallMs()), options.signal);
    timed.push(await probe(wire, null));
    offset = readWallOffset(timed);
  }
  report(judgeClock(offset), judgeKeepAlive(bare, keyed ?? bare, again), judgeRoundTrip(timed));
}

async function probe(wire: Wire, key: string | null): Promise<Exchange> {
  return wire.send({
    stage: "setup",
    caseId: "doctor",
    label: key === null ? "without a key" : "with the primary key",
    intent: { kind: "housekeeping", purpose: "look at the target" },
    endpoint: "models",
    method: "GET",
    path: "/v1/models",
    credential: key === null ? { kind: "none" } : { kind: "bearer", key },
    connection: 0,
    totalTimeoutMs: longestAnswerMs,
  });
}

async function probeAlone(manifest: Manifest, { clock }: DoctorOptions): Promise<Exchange> {
  const wire = createWire({ manifest, clock });
  try {
    return await probe(wire, null);
  } finally {
    await wire.close();
  }
}

/** The manifest with a base URL that lacks the version, where it ends with one; other tools want it there. */
function withoutVersionPrefix(manifest: Manifest): Manifest | null {
  const match = /^(.*)\/v1\/?$/.exec(manifest.target.baseUrl);
  return match?.[1] ? { ...manifest, target: { ...manifest.target, baseUrl: match[1] } } : null;
}

async function diagnoseAddress(host: string): Promise<Diagnosis> {
  if (isIP(host) !== 0) return diagnosis("address", "ok", `${host} is an address`);
  try {
    const addresses = await lookup(host, { all: true });
    return diagnosis("address", "ok", `${host} is ${addresses.map(({ address }) => address).join(", ")}`);
  } catch {
    return diagnosis("address", "failed", `${host} does not resolve`, "check target.baseUrl for a typing error, and DNS");
  }
}

const proxyHint = "check --proxy or HTTPS_PROXY; --no-proxy connects directly";

function diagnoseConnection(failure: TransportFailure | null, proxy: string | null): Diagnosis {
  if (failure === null) return diagnosis("connection", "ok", "a connection opens");
  const hints: Readonly<Partial<Record<TransportFailure["kind"], string>>> = {
    "connect-refused": "nothing listens there: is the service started, and is the port right?",
    "connect-timeout": "a firewall or a wrong port drops packets silently",
    tls: explainTls(failure),
  };
  const hint = proxy !== null && failure.kind !== "tls" ? proxyHint : (hints[failure.kind] ?? "check target.baseUrl");
  return diagnosis("connection", "failed", failure.message, hint);
}

function diagnoseDescriptors(): Diagnosis {
  const limit = readOpenFiles();
  if (limit === null) return diagnosis("descriptors", "skipped", "the system does not report how many files may be open");
  return limit >= comfortableDescriptors
    ? diagnosis("descriptors", "ok", `${limit} files and sockets may be open`)
    : diagnosis("descriptors", "warning", `only ${limit} files and sockets may be open`, "raise it for load: ulimit -n 65536");
}

function judgeClock(offset: WallOffset | null): Diagnosis {
  if (offset === null) {
    return diagnosis("clock", "warning", "responses carry no Date", "reset times cannot be compared with the target's clock");
  }
  if (offset.split) {
    const hint = "several machines answer, or Date is cached: absolute times will not be judged";
    return diagnosis("clock", "warning", "Date fields contradict each other", hint);
  }
  const [low, high] = [Math.round(offset.lowMs), Math.round(offset.highMs)];
  const message = `the target's clock is ${low} to ${high} ms ahead of this one`;
  return low > 2000 || high < -2000
    ? diagnosis(
        "clock",
        "warning",
        message,
        "one of the clocks is wrong: reset times are Unix seconds, clients will wait wrongly",
      )
    : diagnosis("clock", "ok", message);
}

/** Until the target's clock is believed to begin a second: a probe there shows most about the offset. */
function msToNextSecond(offset: WallOffset, wallMs: number): number {
  const targetMs = wallMs + (offset.lowMs + offset.highMs) / 2;
  return 1000 - (((targetMs % 1000) + 1000) % 1000);
}
