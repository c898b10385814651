import { asksForStream } from "../../http/seen-call.ts";
import { lawfulErrorShape, type ErrorAnswer, type ErrorShape } from "../../http/error-shape.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Errors as a whole: their fields, and answers that are no JSON or another answer altogether. */
export function patchErrorAnswers(switches: Switchboard): Pick<ErrorShape, "headers" | "problem" | "limit"> {
  const lawful = lawfulErrorShape;
  const retryHint = firstChange(switches, lawful.headers, {
    "errors/503-without-retry-after": () => ({}),
    "errors/503-retry-after-words": () => ({ "retry-after": "soon" }),
    "errors/503-retry-after-fraction": (headers) => ({ "retry-after": `${headers["retry-after"]}.5` }),
    "errors/503-retry-after-negative": (headers) => ({ "retry-after": `-${headers["retry-after"]}` }),
    "errors/503-retry-after-instant": (headers, _, nowMs) => ({
      "retry-after": String(Math.ceil(nowMs / 1000) + Number(headers["retry-after"])),
    }),
    "errors/503-retry-after-long": () => ({ "retry-after": "3600" }),
    "errors/503-retry-after-date": (headers, _, nowMs) => ({
      "retry-after": new Date(nowMs + Number(headers["retry-after"]) * 1000).toUTCString(),
    }),
  });
  const isSentInStream = (status: number): boolean =>
    (status === 401 && switches.on("stream/401-as-event")) ||
    (status === 422 && switches.on("stream/422-as-event")) ||
    (status === 429 && switches.on("stream/429-as-event"));
  return {
    headers: (headers, problem, nowMs) => {
      if (problem.status === 503) return retryHint(headers, problem, nowMs);
      return problem.status === 401 && switches.on("auth/no-challenge") ? {} : lawful.headers(headers, problem, nowMs);
    },
    problem: (answer, problem, call) => {
      const { status } = problem;
      if (status === 402 && switches.on("auth/402-as-quota")) return quota;
      if (isSentInStream(status) && asksForStream(call)) return inStream(answer);
      const page = pages.find(([id, of]) => of === status && switches.on(id));
      if (page === undefined) return lawful.problem(answer, problem, call);
      const [, , text, contentType] = page;
      return { status: answer.status, headers: answer.headers, text, ...(contentType === undefined ? {} : { contentType }) };
    },
    limit: (answer, refusal, call) => {
      if (isSentInStream(refusal.status) && asksForStream(call)) return inStream(answer);
      if (switches.on("stream/429-as-text") && asksForStream(call))
        return { status: answer.status, headers: answer.headers, text: "Too Many Requests", contentType: "text/plain" };
      return switches.on("errors/429-as-403") ? { ...answer, status: 403 } : lawful.limit(answer, refusal, call);
    },
  };
}

const quota: ErrorAnswer = {
  status: 429,
  headers: {},
  json: { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" },
};

/** Some services open the stream first and show the error in it. */
function inStream(answer: ErrorAnswer): ErrorAnswer {
  if ("text" in answer) return answer;
  const text = `data: ${JSON.stringify(answer.json)}\n\ndata: [DONE]\n\n`;
  return { status: 200, headers: {}, text, contentType: "text/event-stream" };
}

/** The pages that a proxy or a framework answers in place of the service; some have no media type of their own. */
const pages: readonly (readonly [id: string, status: number, text: string, contentType?: string])[] = [
  ["errors/empty-body-on-401", 401, ""],
  ["errors/html-on-404", 404, htmlPage("404 Not Found"), "text/html"],
  ["errors/html-on-422", 422, htmlPage("Error"), "text/html"],
  ["errors/500-plain-text", 500, "Internal Server Error", "text/plain"],
  ["errors/502-html", 502, htmlPage("502 Bad Gateway"), "text/html"],
  ["errors/503-empty", 503, "", "text/plain"],
];

function htmlPage(title: string): string {
  return `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;
}
