import { html, type Insertable, type SafeHtml } from "../escape/safe-html.ts";

export interface SideEntry {
  /** Id of the section that it leads to. */
  readonly id: string;
  readonly title: string;
  /** Shown where it is above 0. */
  readonly failures?: number;
}

/** Contents and tools; the tools appear only when scripts run. */
export function renderSide(brand: Insertable, subject: Insertable, entries: readonly SideEntry[]): SafeHtml {
  return html`<nav class="side" aria-label="Contents">
    <div class="brand">${brand}<small>${subject}</small></div>
    <ul>
      ${entries.map(({ id, title, failures = 0 }) => html`<li><a href="#${id}">${title}${failures > 0 && html`<span class="badge tone-fail">${failures}</span>`}</a></li>`)}
    </ul>
    <div class="tools" hidden>
      <input type="search" aria-label="Filter rows, shortcut slash" placeholder="Filter  ( / )" /><span
        class="sub"
        aria-live="polite"
      ></span
      ><button type="button" data-expand>Expand all</button>
    </div>
  </nav>`;
}
