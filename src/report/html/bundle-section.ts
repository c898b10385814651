import { facts, section } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** The facts that a verifier found about a signed run; every text may hold bytes of a stranger. */
export interface BundleView {
  /** Name and value: who signed what, and when. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly lists: readonly { readonly title: string; readonly items: readonly string[] }[];
}

/** Stands in the report of a run that came as a bundle and was verified; empty for any other. */
export function renderBundle(bundle: BundleView | undefined): SafeHtml {
  if (bundle === undefined) return html``;
  const lists = bundle.lists.filter(({ items }) => items.length > 0);
  return section({
    id: "bundle",
    title: "Signed bundle",
    body: html`<div class="card">
      ${facts(bundle.facts)}
      ${lists.map(
        ({ title, items }) =>
          html`<h3>${title}</h3>
            <ul>
              ${items.map((item) => html`<li>${item}</li>`)}
            </ul>`,
      )}
    </div>`,
  });
}
