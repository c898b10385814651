import type { FastifyReply, FastifyRequest } from "fastify";
import { hashString } from "../../../core/random.ts";
import { renderPng } from "../../content/png.ts";
import type { Ticket } from "../../engine/admission.ts";
import { imageCostMicros } from "../../engine/spend/prices.ts";
import { createCall, type Call } from "../call.ts";
import { composeHead } from "../compose-head.ts";
import { freeWork, type Operation } from "../operation.ts";
import { type Problem, routeNotFound } from "../problem.ts";
import { readJson } from "../read-body.ts";
import { respondJson, respondProblem } from "../respond.ts";
import { runWholeJob } from "../run-job.ts";
import { unixSeconds, type Service } from "../service.ts";
import { defaultImageSize, type Picture } from "./image-shape.ts";

/** Body of POST /v1/images/generations. */
interface ImagesRequest {
  readonly prompt: string;
  readonly n?: number;
  readonly size?: string;
  readonly quality?: string;
}

export const images: Operation<ImagesRequest> = {
  endpoint: "images",
  read: (call) => readJson<ImagesRequest>(call, "images"),
  work: (request) => ({ ...freeWork, maxCostMicros: costOf(request) }),
  serve: serveImages,
};

function costOf({ n = 1, size = defaultImageSize, quality = "standard" }: ImagesRequest): number {
  return imageCostMicros(n, size, quality);
}

async function serveImages(call: Call, request: ImagesRequest, ticket: Ticket): Promise<void> {
  const count = request.n ?? 1;
  const effort = costOf(request) / imageCostMicros(count, defaultImageSize, "standard");
  const bill = { promptTokens: 0, costMicros: costOf(request), items: count };
  await runWholeJob(call, ticket, { kind: "images", count, effort }, bill, () => {
    respondJson(call, 200, imageResult(call, request), ticket.rateHeaders());
  });
}

function imageResult(call: Call, request: ImagesRequest): unknown {
  const { service } = call;
  const shape = service.seams.images;
  const data = Array.from({ length: shape.count(request.n) }, (_, index) => shape.picture(picture(service, request, index)));
  return shape.result({ created: unixSeconds(service), data });
}

/** The URL holds everything that the picture is made of, so nothing has to be kept. */
function picture(service: Service, request: ImagesRequest, index: number): Picture {
  const { seams, seed } = service;
  const size = seams.images.size(request.size);
  const name = hashString(`${seed}/${request.prompt}/${size}/${request.quality ?? "standard"}/${index}`)
    .toString(16)
    .padStart(8, "0");
  return {
    url: `${service.publicUrl()}/generated/${name}-${seams.images.fileSize(size, index)}.png`,
    revised_prompt: request.prompt,
  };
}

const fileName = /^([0-9a-f]{8})-(\d{3,4})x(\d{3,4})\.png$/;
const sizes: ReadonlySet<string> = new Set(["256x256", "1024x1024", "1792x1024", "1024x1792"]);

const privateFile: Problem = { status: 403, code: "insufficient_scope", message: "This address is not for everybody." };

/** GET /generated/{name}: the picture itself, for anyone who has the address. */
export function serveImageFile(service: Service): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    reply.hijack();
    const call = createCall(service, request, reply.raw, null);
    const [, name = "", width = "", height = ""] = fileName.exec((request.params as { readonly name: string }).name) ?? [];
    if (!sizes.has(`${width}x${height}`)) return respondProblem(call, routeNotFound);
    const shape = service.seams.images;
    const rate = service.engine.unadmittedHeaders(null, null, 200);
    if (shape.isMoved() && !request.url.includes("?")) {
      const headers = { location: `${request.url}?file` };
      reply.raw.writeHead(302, composeHead(call, { status: 302, contentType: "text/plain", length: 0, rate, headers }));
      return void reply.raw.end();
    }
    if (!shape.isPublic()) return respondProblem(call, privateFile);
    const { contentType, bytes } = shape.file({
      contentType: "image/png",
      bytes: renderPng(name, Number(width), Number(height)),
    });
    reply.raw.writeHead(200, composeHead(call, { status: 200, contentType, length: bytes.length, rate, headers: {} }));
    reply.raw.end(bytes);
  };
}
