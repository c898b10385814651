import { endpoints, type EndpointId } from "../../../core/exchange/endpoint.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import { factsOf } from "../../../core/exchange/exchange-facts.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { createWire } from "../../../wire/client/wire.ts";
import { discoverModels } from "../../../run/stages/discover-models.ts";
import type { Diagnosis } from "../../../command/diagnosis.ts";
import { diagnose, type DoctorOptions } from "./diagnose.ts";

/** The facts of a target that a first manifest can use. */
export interface Survey {
  readonly diagnoses: readonly Diagnosis[];
  /** The manifest with the models, limits and absent endpoints that the target shows; as given where it shows none. */
  readonly manifest: Manifest;
}

/** Endpoints that are only read. The effect of requests to others cannot be foreseen, so that they are not asked. */
const readOnlyEndpoints: readonly EndpointId[] = ["usage", "workspaces", "verify"];

/** A model id that can stand in a manifest as it is: no reference to a variable, no character that needs an escape. */
const plainId = /^[\w./:@+-]{1,200}$/;

/** The requests of doctor, and one for each endpoint that is only read, with the primary key. */
export async function surveyTarget(manifest: Manifest, options: DoctorOptions): Promise<Survey> {
  const answers: Exchange[] = [];
  const diagnoses = await diagnose(manifest, { ...options, onAnswer: (exchange) => answers.push(exchange) });
  const [answer] = answers;
  if (answer === undefined || !factsOf(answer).isSuccess || diagnoses.some(({ status }) => status === "failed"))
    return { diagnoses, manifest };
  return { diagnoses, manifest: { ...readAnswer(manifest, answer), features: await findAbsent(manifest, options) } };
}

function readAnswer(manifest: Manifest, answer: Exchange): Manifest {
  const { models } = discoverModels(manifest, answer).manifest;
  const plain = (id: string | null): string | null => (id !== null && plainId.test(id) ? id : null);
  const { requests, tokens } = factsOf(answer).rateLimit;
  // Without a key they may be those of strangers: declared as the key's own they would make wrong verdicts.
  const isOwn = manifest.keys["primary"] !== undefined;
  const positive = (limit: number | null): number | null => (isOwn && Number.isSafeInteger(limit) && limit! > 0 ? limit : null);
  return {
    ...manifest,
    models: { chat: plain(models.chat), embedding: plain(models.embedding), transcription: plain(models.transcription) },
    limits: { ...manifest.limits, requestsPerMinute: positive(requests.limit), tokensPerMinute: positive(tokens.limit) },
  };
}

/** Endpoints that are not found, as features of a manifest. Without a key nothing is known: a refusal may come first. */
async function findAbsent(manifest: Manifest, { clock, signal }: DoctorOptions): Promise<Manifest["features"]> {
  if (manifest.keys["primary"] === undefined) return {};
  const wire = createWire({ manifest, clock, ...(signal ? { signal } : {}) });
  const absent: Record<string, boolean> = {};
  try {
    for (const endpoint of readOnlyEndpoints) {
      const { response } = await wire.send({
        stage: "setup",
        caseId: "init",
        label: `whether ${endpoint} is offered`,
        intent: { kind: "housekeeping", purpose: "look at the target" },
        endpoint,
        method: "GET",
        path: endpoints[endpoint].path,
        credential: { kind: "bearer", key: "primary" },
        connection: 0,
      });
      if (response?.status === 404) absent[endpoint] = false;
    }
  } finally {
    await wire.close();
  }
  return absent;
}
