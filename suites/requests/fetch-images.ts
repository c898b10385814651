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
    await fetchImage(tools, fetchLabel(result.label, position), address);
  }
}

const mostRedirects = 3;

/** Object stores answer with the place of the file: a redirect to another address of the same kind is followed, without credentials. */
async function fetchImage(tools: CaseTools, label: string, address: string, redirects = 0): Promise<void> {
  const { response } = await tools.send({
    endpoint: null,
    label,
    method: "GET",
    path: address,
    credential: { kind: "none" },
    intent: { kind: "housekeeping", purpose: "fetch an image" },
  });
  const isRedirect = response !== null && response.status >= 301 && response.status <= 308 && response.status !== 304;
  const [location] = isRedirect ? headerValues(response.headers, "location") : [];
  if (location === undefined || redirects === mostRedirects || !URL.canParse(location, address)) return;
  const { href, protocol } = new URL(location, address);
  if (protocol === "http:" || protocol === "https:") await fetchImage(tools, label, href, redirects + 1);
}
