import multipart from "@fastify/multipart";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { createBodyRoom } from "./body-room.ts";
import { createCall, type Call } from "./call.ts";
import { chat } from "./endpoints/chat.ts";
import { embeddings } from "./endpoints/embeddings.ts";
import { images, serveImageFile } from "./endpoints/images.ts";
import { models } from "./endpoints/models.ts";
import { handle, identifyCaller } from "./operation.ts";
import { invalidField, methodNotSupported, routeNotFound, serverProblem, type Problem } from "./problem.ts";
import { respondJson, respondProblem } from "./respond.ts";
import type { Service } from "./service.ts";
import { accountSettings, keySettings } from "./endpoints/settings.ts";
import { transcriptions } from "./endpoints/transcriptions.ts";
import { usage } from "./endpoints/usage.ts";
import { agents, verify, workspaces } from "./endpoints/workspace-routes.ts";

const jsonBytesAtMost = 8 * 2 ** 20;
const audioBytesAtMost = 25 * 2 ** 20;
const fieldBytesAtMost = 2 ** 16;
/** Bodies of all requests together; a form may hold two files and its fields. */
const bodyBytesAtMost = 96 * 2 ** 20;
const formBytesAtMost = 2 * audioBytesAtMost + 2 ** 21;
const connectionsAtMost = 4096;
/** Time for a whole request to arrive: more than any client on this machine needs that means to finish. */
const requestMsAtMost = 60_000;

/**
 * Routes of the specification on Fastify. Bodies arrive as bytes, because authentication comes before parsing; responses are
 * written to the socket's response directly (`composeHead`), because variants and mutants need every byte of the head.
 */
export async function createSurface(service: Service): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: jsonBytesAtMost,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: requestMsAtMost,
    frameworkErrors: (_error, request, reply) => refuseUnrouted(service, request, reply, routeNotFound),
    rewriteUrl: ({ url = "" }) => service.seams.connections.routed(url),
    routerOptions: { maxParamLength: 500 },
  });
  await app.register(multipart, {
    throwFileSizeLimit: true,
    limits: { fileSize: audioBytesAtMost, fieldSize: fieldBytesAtMost, files: 2, fields: 25, parts: 27 },
  });
  app.server.maxConnections = connectionsAtMost;
  app.server.on("checkContinue", (incoming, response) => {
    if (service.seams.connections.asksForBody()) response.writeContinue();
    app.server.emit("request", incoming, response);
  });
  const room = createBodyRoom(bodyBytesAtMost);
  app.addHook("onRequest", (request, reply, done) => {
    service.seams.connections.arrived(request.raw, reply.raw);
    done();
  });
  app.addHook("preParsing", (request, reply, payload, done) => {
    const most = request.headers["content-type"]?.startsWith("multipart/") === true ? formBytesAtMost : jsonBytesAtMost;
    room.enter(request.raw, reply.raw, most, () => done(null, payload));
  });
  app.addHook("preValidation", (request, _reply, done) => {
    if (Buffer.isBuffer(request.body)) room.measure(request.raw, request.body.length);
    done();
  });
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.post("/v1/chat/completions", handle(service, chat));
  app.post("/v1/embeddings", handle(service, embeddings));
  app.post("/v1/images/generations", handle(service, images));
  app.post("/v1/audio/transcriptions", handle(service, transcriptions));
  app.get("/v1/models", handle(service, models));
  app.get("/v1/usage", handle(service, usage));
  app.patch("/v1/keys/:key_id", handle(service, keySettings));
  app.patch("/v1/account", handle(service, accountSettings));
  app.post("/v1/agents", handle(service, agents));
  app.get("/v1/workspaces", handle(service, workspaces));
  app.route({ method: ["GET", "POST"], url: "/v1/verify", handler: handle(service, verify) });
  app.get("/generated/:name", serveImageFile(service));
  app.post("/v1/keys", (request, reply) => createKeyOrRefuse(service, request, reply));

  const whyUnrouted = ({ url: target }: FastifyRequest): Problem => {
    const [url = ""] = target.split("?");
    const known = (["GET", "POST", "PATCH"] as const).some((method) => app.findRoute({ url, method }) !== null);
    return known ? methodNotSupported : routeNotFound;
  };
  app.setNotFoundHandler((request, reply) => refuseUnrouted(service, request, reply, whyUnrouted(request)));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    // The client went away in the middle of its request: nobody reads an answer.
    if (error.code === "ECONNRESET") reply.hijack();
    // The method QUERY without a media type is refused before it is known that no route takes it.
    else if (error.code === "FST_ERR_ROUTE_MISSING_CONTENT_TYPE") refuseUnrouted(service, request, reply, whyUnrouted(request));
    else refuseUnrouted(service, request, reply, problemOf(service, error));
  });
  return app;
}

function createKeyOrRefuse(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const call = openCall(service, request, reply);
  const body = service.seams.operations.createdKey((prefix) => service.nextId(prefix));
  if (body === null) respondProblem(call, routeNotFound);
  else respondJson(call, 201, body, service.engine.unadmittedHeaders(call.key, null, 201));
}

/** Requests that reach no operation: unknown paths and methods, bodies that Fastify itself refuses. */
function refuseUnrouted(service: Service, request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  respondProblem(openCall(service, request, reply), problem);
}

/** The rate headers of a known key are those of that key, also where there is no route. */
function openCall(service: Service, request: FastifyRequest, reply: FastifyReply): Call {
  reply.hijack();
  const call = createCall(service, request, reply.raw, null);
  const identification = identifyCaller(call);
  if (identification.kind === "known") call.key = identification.key;
  return call;
}

function problemOf(service: Service, error: FastifyError): Problem {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return invalidField("body", `at most ${jsonBytesAtMost / 2 ** 20} MiB of JSON`, "body_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return invalidField("content-type", "application/json or multipart/form-data", "unsupported_media_type");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return invalidField("content-length", "the length of the body");
    default:
      service.onCrash(error);
      return serverProblem(500);
  }
}
