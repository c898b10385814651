import { fetchLabel } from "../../src/conformance/judges/images/image-fetch.ts";
import { isJsonObject, type JsonValue } from "../../src/conformance/judging/json-value.ts";
import type { CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Credential } from "../../src/core/exchange/send-request.ts";
import { headerValues } from "../../src/core/exchange/headers/header-list.ts";

/** Fetches every image of a result, without credentials, since the address may belong to anyone; with the key where the target itself asks. */
export async function fetchImages(tools: CaseTools, result: ExchangeFacts): Promise<void> {
  const entries = result.responseObject?.["data"];
  if (!tools.manifest.permissions.fetchImages || !Array.isArray(entries)) return;
  const target = new URL(tools.manifest.target.baseUrl).origin;
  for (const [position, entry] of (entries as readonly JsonValue[]).entries()) {
    const address = isJsonObject(entry) ? entry["url"] : undefined;
    if (typeof address !== "string" || !/^https?:\/\//i.test(address) || !URL.canParse(address)) continue;
    await fetchImage(tools, address, target, (step) => fetchLabel(result.label, position, step));
  }
}

const mostSteps = 5;

/** Object stores answer with the place of the file: a redirect to another address of the same kind is followed. */
async function fetchImage(tools: CaseTools, address: string, target: string, label: (step: number) => string): Promise<void> {
  let [here, credential]: [URL, Credential] = [new URL(address), { kind: "none" }];
  for (let step = 1; step <= mostSteps; step += 1) {
    const intent = { kind: "housekeeping", purpose: "fetch an image" } as const;
    const { response } = await tools.send({
      endpoint: null,
      label: label(step),
      method: "GET",
      path: here.href,
      credential,
      intent,
    });
    const status = response?.status ?? 0;
    const isRedirect = status >= 301 && status <= 308 && status !== 304;
    const [location] = isRedirect && response !== null ? headerValues(response.headers, "location") : [];
    if (location !== undefined && URL.canParse(location, here.href)) {
      here = new URL(location, here);
      credential = { kind: "none" };
      if (here.protocol !== "http:" && here.protocol !== "https:") return;
    } else if ((status === 401 || status === 403) && credential.kind === "none" && here.origin === target) {
      credential = { kind: "bearer", key: "primary" };
    } else return;
  }
}
