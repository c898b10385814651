import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readBrokerAddress } from "../../src/features/agents/broker/read-broker-address.ts";
import { parseCommand } from "./parse-command.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, "examples/agents", name), "utf8");

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly valueFrom: { readonly secretKeyRef: SecretKey } }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly readinessProbe?: { readonly tcpSocket: { readonly port: number } };
}
interface SecretKey {
  readonly name: string;
  readonly key: string;
}
interface Labels {
  readonly app: string;
}
interface Deployment {
  readonly kind: "Deployment";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: { readonly terminationGracePeriodSeconds?: number; readonly containers: readonly [Container] };
    };
  };
}
interface Service {
  readonly kind: "Service";
  readonly metadata: { readonly name: string };
  readonly spec: { readonly selector: Labels; readonly ports: readonly [{ readonly port: number }] };
}
interface Composed {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
}

/** The variables that the program reads from its environment. */
const known: ReadonlySet<string> = new Set(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => readFileSync(join(root, "src", name), "utf8").match(/\bASSAY_[A-Z_]+\b/g) ?? []),
);

/** The value after a flag. */
const valueOf = (args: readonly string[], flag: string): string => args[args.indexOf(flag) + 1] ?? "";
const filledIn = (text: string): string => text.replace(/\$\{ASSAY_BASE_URL[^}]*\}/, "https://staging.example/api");

describe("the manifests for Kubernetes", () => {
  const text = read("kubernetes.yaml");
  const all = parseAllDocuments(text).map((document) => document.toJS() as Deployment | Service);
  const deployments = all.filter((one) => one.kind === "Deployment");
  const service = all.find((one) => one.kind === "Service");
  const [broker, agent] = deployments as [Deployment, Deployment];
  const [container] = agent.spec.template.spec.containers;

  it("start agents with a command line that is accepted, at the broker that they describe", () => {
    expect(all).toHaveLength(3);
    expect(() => parseCommand(container.args!)).not.toThrow();
    expect(() => parseCommand([...container.args!, "--reddis"])).toThrow("--reddis");
    const { hostname, port } = new URL(readBrokerAddress(valueOf(container.args!, "--redis"), {}, "assay").url);
    const [listening] = broker.spec.template.spec.containers;
    expect(hostname).toBe(service!.metadata.name);
    expect([Number(port), listening.ports![0]!.containerPort, listening.readinessProbe!.tcpSocket.port]).toEqual(
      Array(3).fill(service!.spec.ports[0].port),
    );
    expect(service!.spec.selector).toEqual(broker.spec.template.metadata.labels);
    for (const { spec } of deployments) expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
  });

  it("give them the environment that they read, from the secrets that the comment creates", () => {
    expect(container.env.map(({ name }) => name)).toEqual(["ASSAY_API_KEY", "ASSAY_REDIS_PASSWORD"]);
    for (const { name } of container.env) expect(known).toContain(name);
    const [, created] = /kubectl create secret generic (.*)/.exec(text)!;
    for (const { spec } of deployments) {
      for (const { valueFrom } of spec.template.spec.containers[0].env) {
        expect(created).toMatch(new RegExp(`^${valueFrom.secretKeyRef.name} .*--from-literal=${valueFrom.secretKeyRef.key}=`));
      }
    }
    const command = /assay (load --agents .*)/.exec(text)![1]!.split(" ");
    expect(() => parseCommand(command)).not.toThrow();
    expect(Number(valueOf(command, "--agents"))).toBe(agent.spec.replicas);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    expect(container.image).toMatch(new RegExp(`/assay-agent:${version}$`));
  });
});

describe("the compose file", () => {
  const { services } = parse(read("compose.yaml")) as { readonly services: Readonly<Record<string, Composed>> };
  const { broker, ...ours } = services;

  it.each(Object.keys(ours))(
    "starts %s with a command line and an environment that are read, when the broker answers",
    (name) => {
      const { command, environment, depends_on: after } = ours[name]!;
      expect(() => parseCommand(command.map(filledIn))).not.toThrow();
      const { hostname, port } = new URL(valueOf(command, "--redis"));
      expect([hostname, port]).toEqual(["broker", "6379"]);
      expect(Object.keys(environment!)).toEqual(["ASSAY_API_KEY", "ASSAY_REDIS_PASSWORD"]);
      for (const variable of Object.keys(environment!)) expect(known).toContain(variable);
      expect(after).toEqual({ broker: { condition: "service_healthy" } });
      expect(broker!.healthcheck).toBeDefined();
    },
  );

  it("asks for as many agents as it says to start, and keeps the report", () => {
    const { command, volumes } = ours["load"]!;
    expect(read("compose.yaml")).toContain(`--scale agent=${valueOf(command, "--agents")}`);
    expect(volumes![0]!.split(":")[1]).toBe(valueOf(command, "--out"));
  });
});

it("the image of agents adds the packages that agents need, in the majors that they are for", () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const { ioredis, bullmq } = peerDependencies;
  const major = (range: string): string => /\d+/.exec(range)![0];
  expect(read("Dockerfile.agent")).toContain(` ioredis@${major(ioredis!)} bullmq@${major(bullmq!)}\n`);
});
