import { beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { createLimitMonitor } from "../../../src/limits/traffic/limit-monitor.ts";
import { countSteps } from "../../make/runner/count-steps.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { foreignServices } from "../simulation/foreign-limiters.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { loadRequests } from "../simulation/load-requests.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { createSimulation, type SimService } from "../simulation/simulator.ts";

const windowMs = 10_000;
const requests = 800;
const times = 4;
/** A sort makes it somewhat more than four times; a list searched for each request sixteen. */
const mostGrowth = 6;

interface Shape {
  readonly title: string;
  /** With so many times as many requests. */
  of(factor: number): { readonly limit: number; readonly perSecond: number };
}

const shapes: readonly Shape[] = [
  { title: "more windows", of: () => ({ limit: 100, perSecond: 20 }) },
  { title: "fuller windows", of: (factor) => ({ limit: 100 * factor, perSecond: 20 * factor }) },
  { title: "more refusals", of: (factor) => ({ limit: 100, perSecond: 20 * factor }) },
];

type CreateService = (limit: number) => SimService;
const services: readonly (readonly [id: string, create: CreateService])[] = [
  ...[...lawfulLimiters, ...faultyLimiters].map((one): readonly [string, CreateService] => [
    one.id,
    (limit) => serveRequests(one.create(limit, windowMs)),
  ]),
  ...foreignServices.map((one): readonly [string, CreateService] => [one.id, (limit) => one.create(limit, windowMs)]),
];

/** Requests spread over each second, as many of them under way at once as come within ten milliseconds. */
async function record(service: SimService, count: number, perSecond: number): Promise<readonly Exchange[]> {
  const network = { onewayMs: 5, sigma: 0.5, burstSpreadMs: 950, lossShare: 0, skewMs: 0 };
  const simulation = createSimulation(5, service, network);
  for (let sent = 0; sent < count; sent += perSecond) {
    await simulation.sender.burst(loadRequests(Math.min(perSecond, count - sent)));
    await simulation.clock.sleep(30);
  }
  return simulation.exchanges;
}

async function stepsOf(create: CreateService, shape: Shape, factor: number): Promise<number> {
  const { limit, perSecond } = shape.of(factor);
  const exchanges = await record(create(limit), factor * requests, perSecond);
  const manifest = { ...simulatedManifest(limit), control: null, features: { windowSeconds: windowMs / 1000 } };
  const ops = exchanges.map(readOp).filter((op): op is LimitOp => op !== null);
  return countSteps(() => {
    const monitor = createLimitMonitor({ manifest, strict: false });
    for (const op of ops) monitor.add(op);
    monitor.finish();
  });
}

describe(`limit judges take as many steps as there are requests (${sampleTitle})`, () => {
  // The engine counts some blocks that ran before the first measurement of a process.
  beforeAll(async () => {
    await stepsOf(services[0]![1], shapes[0]!, 1);
  });

  it.each(sampleOf(services, 40))("%s", async (_, create) => {
    const growth: Record<string, number> = {};
    for (const shape of shapes) {
      const grown = (await stepsOf(create, shape, times)) / (await stepsOf(create, shape, 1));
      if (!(grown < mostGrowth)) growth[shape.title] = grown;
    }
    expect(growth).toEqual({});
  });

  it("notices a list that is searched for each request", async () => {
    const search = (size: number) =>
      countSteps(() => {
        const list = Array.from({ length: size }, (_, index) => index);
        for (const item of list) if (!list.includes(item)) throw new Error("an item is missing");
      });
    expect((await search(times * requests)) / (await search(requests))).toBeGreaterThan(mostGrowth);
  });
});
