import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const read = (name: string): string => readFileSync(new URL(`../../examples/agents/${name}`, import.meta.url), "utf8");
const ajv = new Ajv({ strict: true, allowUnionTypes: true });

/** An object with these members and no others; those whose names end in `!` must be there. */
function only(members: Readonly<Record<string, object>>): object {
  const properties = Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace(/!$/, ""), schema]));
  const required = Object.keys(members).flatMap((name) => (name.endsWith("!") ? [name.slice(0, -1)] : []));
  return { type: "object", properties, required, additionalProperties: false };
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const texts = { type: "array", items: text };
const labels = { type: "object", additionalProperties: text };
const listOf = (items: object): object => ({ type: "array", items, minItems: 1 });
const amounts = only({ cpu: text, memory: { type: "string", pattern: "^\\d+(?:Mi|Gi)$" } });

// The members that the manifests use, with the types of the Kubernetes API (apps/v1, v1); anything else is an error there, too.
const variable = only({
  "name!": text,
  "valueFrom!": only({ "secretKeyRef!": only({ "name!": text, "key!": text }) }),
});
const container = only({
  "name!": text,
  "image!": text,
  command: texts,
  args: texts,
  env: listOf(variable),
  ports: listOf(only({ "containerPort!": count })),
  readinessProbe: only({ "tcpSocket!": only({ "port!": count }), periodSeconds: count }),
  "resources!": only({ requests: amounts, limits: amounts }),
});
const spread = only({
  "maxSkew!": { type: "integer", minimum: 1 },
  "topologyKey!": text,
  "whenUnsatisfiable!": { enum: ["DoNotSchedule", "ScheduleAnyway"] },
  labelSelector: only({ "matchLabels!": labels }),
});
const pod = only({
  "metadata!": only({ "labels!": labels }),
  "spec!": only({
    "containers!": listOf(container),
    topologySpreadConstraints: listOf(spread),
    terminationGracePeriodSeconds: count,
    securityContext: only({ runAsNonRoot: { type: "boolean" }, runAsUser: count }),
  }),
});
const kinds: Readonly<Record<string, object>> = {
  Deployment: only({
    "apiVersion!": { const: "apps/v1" },
    "kind!": text,
    "metadata!": only({ "name!": text }),
    "spec!": only({
      replicas: count,
      strategy: only({ "type!": { enum: ["Recreate", "RollingUpdate"] } }),
      "selector!": only({ "matchLabels!": labels }),
      "template!": pod,
    }),
  }),
  Service: only({
    "apiVersion!": { const: "v1" },
    "kind!": text,
    "metadata!": only({ "name!": text }),
    "spec!": only({ "selector!": labels, "ports!": listOf(only({ "port!": count })) }),
  }),
};
const service = only({
  image: text,
  build: only({ "context!": text, dockerfile: text }),
  command: texts,
  environment: labels,
  depends_on: { type: "object", additionalProperties: only({ "condition!": { enum: ["service_started", "service_healthy"] } }) },
  healthcheck: only({ "test!": texts, interval: { type: "string", pattern: "^\\d+s$" }, retries: count }),
  networks: texts,
  volumes: texts,
  profiles: texts,
  ulimits: only({ nofile: count }),
  stop_grace_period: { type: "string", pattern: "^\\d+s$" },
});
const compose = only({
  "services!": { type: "object", additionalProperties: service },
  "networks!": { type: "object", additionalProperties: only({}) },
});

interface Deployed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: { readonly metadata: { readonly labels: object } };
  };
}
interface Composed {
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly networks?: readonly string[];
}

describe("shapes of the examples of agents", () => {
  const documents = parseAllDocuments(read("kubernetes.yaml"), { uniqueKeys: true });
  const objects = documents.map((document) => document.toJS() as Deployed);

  it("are manifests that Kubernetes takes", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Deployment assay-broker",
      "Service assay-broker",
      "Deployment assay-agent",
    ]);
    for (const object of objects) {
      const valid = ajv.validate(kinds[object.kind]!, object);
      expect(ajv.errors ?? []).toEqual([]);
      expect(valid).toBe(true);
      if (object.kind === "Deployment") expect(object.spec.template.metadata.labels).toEqual(object.spec.selector.matchLabels);
    }
  });

  it("are found wanting when a member has another name or type", () => {
    const [broker] = objects;
    const renamed = JSON.parse(JSON.stringify(broker).replace("containerPort", "port")) as object;
    const retyped = JSON.parse(JSON.stringify(broker).replace('"replicas":1', '"replicas":"1"')) as object;
    expect([renamed, retyped].map((object) => ajv.validate(kinds["Deployment"]!, object))).toEqual([false, false]);
  });

  it("are a compose file whose services find each other", () => {
    const file = parse(read("compose.yaml")) as { services: Readonly<Record<string, Composed>>; networks: object };
    ajv.validate(compose, file);
    expect(ajv.errors ?? []).toEqual([]);
    for (const { depends_on = {}, networks = [] } of Object.values(file.services)) {
      expect(Object.keys(depends_on).filter((name) => !(name in file.services))).toEqual([]);
      expect(networks.filter((name) => !(name in file.networks))).toEqual([]);
    }
  });
});
