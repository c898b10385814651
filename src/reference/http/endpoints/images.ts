import type { FastifyReply, FastifyRequest } from "fastify";
import { hashString } from "../../../core/random.ts";
import { renderPng } from "../../content/png.ts";
import type { Lease } from "../../engine/admission.ts";
import { imageCostMicros } from "../../engine/spend/prices.ts";
import type { Switchboard } from "../../defects/switch.ts";
import { createCall, type Call } from "../call.ts";
import { composeHead } from "../compose-head.ts";
import type { Operation } from "../operation.ts";
import { type Problem, routeNotFound } from "../problem.ts";
import { readJson } from "../read-body.ts";
import { respondJson, respondProblem } from "../respond.ts";
import { runJob } from "../run-job.ts";
import { unixSeconds, type Service } from "../service.ts";

/** Body of POST /v1/images/generations. */
interface ImagesRequest {
  readonly prompt: string;
  readonly n?: number;
  readonly size?: string;
  readonly quality?: string;
}

const defaultSize = "1024x1024";

export const images: Operation<ImagesRequest> = {
  endpoint: "images",
  read: (call) => readJson<ImagesRequest>(call, "images"),
  work: (_, request) => ({
    streaming: false,
    promptTokens: 0,
    maxCompletionTokens: 0,
    requestedMaxTokens: null,
    maxCostMicros: costOf(request),
  }),
  serve: serveImages,
};

function costOf({ n = 1, size = defaultSize, quality = "standard" }: ImagesRequest): number {
  return imageCostMicros(n, size, quality);
}

async function serveImages(call: Call, request: ImagesRequest, lease: Lease): Promise<void> {
  const count = request.n ?? 1;
  const effort = costOf(request) / imageCostMicros(count, defaultSize, "standard");
  await runJob(call, lease, { kind: "images", count, effort }, async (pace) => {
    await call.service.engine.clock.sleepUntil(pace.endAtMs());
    lease.settle({
      ended: call.response.destroyed ? "aborted" : "completed",
      promptTokens: 0,
      completionTokens: 0,
      costMicros: costOf(request),
      items: count,
    });
    respondJson(call, 200, imageResult(call, request), lease.rateHeaders());
  });
}

type Members = Readonly<Record<string, unknown>>;

function imageResult(call: Call, request: ImagesRequest): Members {
  const { service } = call;
  const { switches } = service;
  const data = Array.from({ length: answeredCount(request, switches) }, (_, index) => picture(call, request, index));
  const created = unixSeconds(service);
  if (switches.on("images/created-absent")) return { data };
  if (switches.on("images/created-ms")) return { created: created * 1000, data };
  if (switches.on("images/created-text")) return { created: String(created), data };
  if (switches.on("images/data-object")) return { created, data: { 0: data[0] } };
  if (switches.on("images/named-images")) return { created, images: data };
  return { created, data };
}

function answeredCount({ n }: ImagesRequest, switches: Switchboard): number {
  if (switches.on("images/n-ignored")) return 1;
  if (switches.on("images/one-too-many") && n !== undefined) return n + 1;
  return n ?? (switches.on("images/two-by-default") ? 2 : 1);
}

/** The URL holds everything that the picture is made of, so nothing has to be kept. */
function picture(call: Call, request: ImagesRequest, index: number): Members {
  const { switches, seed } = call.service;
  const size = request.size ?? (switches.on("images/default-size-wrong") ? "1792x1024" : defaultSize);
  const shown = switches.on("images/size-ignored") ? "256x256" : size;
  const name = hashString(`${seed}/${request.prompt}/${size}/${request.quality ?? "standard"}/${index}`)
    .toString(16)
    .padStart(8, "0");
  const path = `/generated/${name}-${shown}.png`;
  const url = `${call.service.publicUrl()}${switches.on("images/url-dead") ? "/gone" : ""}${path}`;
  const revised = { revised_prompt: request.prompt };
  if (switches.on("images/url-absent")) return revised;
  if (switches.on("images/url-relative")) return { url: path, ...revised };
  if (switches.on("images/url-null")) return { url: null, ...revised };
  if (switches.on("images/base64-for-url")) return { b64_json: renderPng(name, 16, 16).toString("base64"), ...revised };
  if (switches.on("images/revised-prompt-absent")) return { url };
  if (switches.on("images/revised-prompt-null")) return { url, revised_prompt: null };
  return { url, ...revised };
}

const fileName = /^([0-9a-f]{8})-(\d{3,4})x(\d{3,4})\.png$/;
const sizes: ReadonlySet<string> = new Set(["256x256", "1024x1024", "1792x1024", "1024x1792"]);

const privateFile: Problem = { status: 403, code: "insufficient_scope", message: "This address is not for everybody." };
const notAnImage = "<!doctype html><title>Image</title>";

/** GET /generated/{name}: the picture itself, for anyone who has the address. */
export function serveImageFile(service: Service): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    reply.hijack();
    const call = createCall(service, request, reply.raw, null);
    const [, name = "", width = "", height = ""] = fileName.exec((request.params as { readonly name: string }).name) ?? [];
    if (!sizes.has(`${width}x${height}`)) return respondProblem(call, routeNotFound);
    if (service.switches.on("images/url-private")) return respondProblem(call, privateFile);
    const bytes = renderPng(name, Number(width), Number(height));
    const wrongType = service.switches.on("images/file-is-html");
    const rate = service.engine.unadmittedHeaders(null, null, 200);
    const body = wrongType ? Buffer.from(notAnImage) : bytes;
    reply.raw.writeHead(
      200,
      composeHead(call, {
        status: 200,
        contentType: wrongType ? "text/html" : "image/png",
        length: body.length,
        rate,
        headers: {},
      }),
    );
    reply.raw.end(body);
  };
}
