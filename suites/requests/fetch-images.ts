import { fetchLabel } from "../../src/conformance/judges/images/image-fetch.ts";
import { isJsonObject, type JsonValue } from "../../src/conformance/judging/json-value.ts";
import type { CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import { headerValues } from "../../src/core/exchange/headers/header-list.ts";

/** Fetches every image of a result, without credentials: the address may belong to anyone. */
export async function fetchImages(tools: CaseTools, result: ExchangeFacts): Promise<void> {
  const entries = result.responseObject?.["data"];
  if (!tools.manifest.permissions.fetchImages || !Array.isArray(entries)) return;
  for (const [position, entry] of (entries as readonly JsonValue[]).entries()) {
    const address = isJsonObject(entry) ? entry["url"] : undefined;
    if (typeof address !== "string" || !/^https?:\/\//i.test(address) || !URL.canParse(address)) continue;
    await fetchImage(tools, address, (step) => fetchLabel(result.label, position, step));
  }
}

const mostRedirects = 3;

/** Object stores answer with the place of the file: a redirect to another address of the same kind is followed. */
async function fetchImage(tools: CaseTools, address: string, label: (step: number) => string): Promise<void> {
  let here = new URL(address);
  for (let step = 1; step <= 1 + mostRedirects; step += 1) {
    const intent = { kind: "housekeeping", purpose: "fetch an image" } as const;
    const { response } = await tools.send({
      endpoint: null,
      label: label(step),
      method: "GET",
      path: here.href,
      credential: { kind: "none" },
      intent,
    });
    const isRedirect = response !== null && response.status >= 301 && response.status <= 308 && response.status !== 304;
    const [location] = isRedirect ? headerValues(response.headers, "location") : [];
    if (location === undefined || !URL.canParse(location, here.href)) return;
    here = new URL(location, here);
    if (here.protocol !== "http:" && here.protocol !== "https:") return;
  }
}
