import { html, markupOf } from "../escape/safe-html.ts";

const place = "<main>";
const notice = /<p class="note" role="status">Changed after the run: [a-z., -]+\. [^<]*<\/p>/;

/** The page of a run whose reports were changed, with their names above the verdict: that is what is seen first. */
export function addChangedNotice(page: string, names: readonly string[]): string {
  const words = `Changed after the run: ${names.join(", ")}. All reports here are written anew from the record.`;
  return page.replace(place, () => `${place}${markupOf(html`<p class="note" role="status">${words}</p>`)}`);
}

/** The page as it is without the notice: a report that says so is not itself one that was changed. */
export function removeChangedNotice(page: string): string {
  return page.replace(notice, "");
}
