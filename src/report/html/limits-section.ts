import { describeOvershoot } from "../../core/result/describe-overshoot.ts";
import { isExamined } from "../../core/result/is-examined.ts";
import type {
  LimitAccount,
  LimitCheckResult,
  LimitLatency,
  LimitPolicyResult,
  LimitsResult,
} from "../../core/result/limits-result.ts";
import { countOf, formatCents, formatDuration, formatMs } from "../text/format-number.ts";
import { describeParameters, describeTolerances } from "../text/limit-words.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { renderLimitCharts, renderSpend } from "./limit-charts.ts";
import { verdictRank } from "./verdict-rank.ts";
import { badge, facts, fragment, section, table } from "./parts.ts";
import { html, type Insertable, nothing, type SafeHtml } from "../escape/safe-html.ts";

/** One card for each policy: what was promised, what was seen, what can be said about the limiter. */
export function renderLimits(limits: LimitsResult | null): SafeHtml {
  if (limits === null) return nothing;
  // Violated policies come first, those that could not be judged last; the order of the schedule within.
  const policies = limits.policies.filter(isExamined).sort((a, b) => verdictRank[a.verdict] - verdictRank[b.verdict]);
  // The clock of the reference service jumps over waits.
  const isVirtual = limits.policies.some(({ tolerances }) => (tolerances["virtualLagMs"] ?? 0) > 0);
  return section({
    id: "limits",
    title: "Limits",
    fold: policies.some(isLoud)
      ? null
      : `${countOf(policies.length, "policy", "policies")} examined, none violated; charts and checks of each`,
    lead: `${countOf(limits.spent.requests, "request")} in ${formatDuration(limits.spent.minutes * 60_000)}${isVirtual ? " of a virtual clock" : ""} for ${formatCents(limits.spent.cents)}. Each violation rests on a certificate: a few exchanges that no lawful limiter could have produced.`,
    body: html`${policies.map((policy, index) => renderPolicy(policy, findTwin(policy, policies.slice(0, index))))}
    ${renderPassingPolicies(limits.policies.filter((policy) => !isExamined(policy)))} ${renderLeftOut(limits.account ?? [])}
    ${
      limits.notJudged.length > 0 &&
      html`<div class="card">
        <h3>Not examined</h3>
        ${table({
          caption: "Untested parts",
          head: ["Policy", "For lack of"],
          rows: limits.notJudged.map((entry) => [entry.policy, entry.reason]),
        })}
      </div>`
    }`,
  });
}

/** The account of each policy, where some answers say nothing of a limit. */
function renderLeftOut(account: readonly LimitAccount[]): SafeHtml {
  if (account.every(({ leftOut }) => leftOut.length === 0)) return nothing;
  return html`<div class="card">
    <h3>Answers left out</h3>
    ${table({
      caption: "What became of the requests of each policy",
      head: ["Policy", "Sent", "Judged", "Left out"],
      figures: [1, 2],
      rows: account.map(({ policy, sent, judged, leftOut }) => [
        policy,
        String(sent),
        String(judged),
        leftOut.length === 0 ? "0" : leftOut.map(({ reason, count }) => `${count} ${reason}`).join("; "),
      ]),
    })}
  </div>`;
}

/** Whether there is something to act on. */
function isLoud({ verdict }: LimitPolicyResult): boolean {
  return verdict === "fail" || verdict === "advisory";
}

/** The policy above that was examined by the same requests, as the caps of a key and of its account are. */
function findTwin(policy: LimitPolicyResult, above: readonly LimitPolicyResult[]): LimitPolicyResult | null {
  if (policy.kind !== "key-cap" && policy.kind !== "account-cap") return null;
  const seqs = policy.timeline.ops.map((op) => op.seq).join();
  const flagged = policy.timeline.ops.some((op) => op.findings.length > 0);
  return flagged ? null : (above.find((other) => other.timeline.ops.map((op) => op.seq).join() === seqs) ?? null);
}

function renderPolicy(policy: LimitPolicyResult, twin: LimitPolicyResult | null): SafeHtml {
  const id = fragment("policy-", policy.id);
  const tolerances = describeTolerances(policy.tolerances);
  const judged = verdictRank[policy.verdict] < verdictRank.inconclusive;
  const inside = html`${facts(declaredFacts(policy))}
  ${
    twin === null
      ? renderLimitCharts(policy, !judged)
      : html`<p class="sub">Examined by the same requests as <a href="#${fragment("policy-", twin.id)}">${twin.title}</a>.</p>
          ${renderSpend(policy)}`
  }
  ${renderChecks(policy, judged)} ${renderIdentification(policy)}
  ${tolerances !== "" && html`<p class="sub">Allowed for: ${tolerances}.</p>`}`;
  return html`<article class="card" id="${id}">
    <header>
      <h3>${policy.title}</h3>
      <span>${badge(verdictWords[policy.verdict])} <span class="sub">${tierWords[policy.tier]}</span></span>
    </header>
    <p>${policy.summary}</p>
    ${
      isLoud(policy)
        ? inside
        : html`<details>
            <summary>
              <span class="grow sub"
                >${judged ? "Charts, checks and the limiter that explains it" : "Evidence that was seen of it"}</span
              >
            </summary>
            <div class="stack">${inside}</div>
          </details>`
    }
  </article> `;
}

const tierWords: Readonly<Record<LimitPolicyResult["tier"], string>> = {
  violation: "proven by a certificate",
  unexplained: "no known limiter explains it",
  consistent: "a known limiter reproduces every answer",
  unrefuted: "nothing contradicts it; no order of decisions was found",
  inconclusive: "not enough evidence",
};

function latencyWords({ count, p50Ms, p99Ms }: LimitLatency): string {
  return `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}, n ${count}`;
}

function declaredFacts({
  declared,
  key,
  endpoint,
  latencies,
  checks,
}: LimitPolicyResult): readonly (readonly [string, Insertable])[] {
  const rows: (readonly [string, Insertable])[] = [
    ["Key", key],
    ["Endpoint", endpoint ?? "all endpoints of the key"],
  ];
  if (declared.limit !== null)
    rows.push(["Declared", `${declared.limit}${declared.windowSeconds === null ? "" : ` in ${declared.windowSeconds} s`}`]);
  if (declared.cooldownSeconds !== null) rows.push(["Cooldown", `${declared.cooldownSeconds} s`]);
  if (declared.capCents !== null) rows.push(["Cap", formatCents(declared.capCents)]);
  rows.push(["Algorithm", declared.algorithm ?? "not declared"]);
  const { served = null, refused = null } = latencies ?? {};
  if (served !== null) rows.push(["Latency, served", latencyWords(served)]);
  if (refused !== null) rows.push(["Latency, refused", latencyWords(refused)]);
  for (const { overshoot } of checks) if (overshoot !== undefined) rows.push(["Overshoot", describeOvershoot(overshoot)]);
  return rows;
}

/**
 * Violated checks are open; checks that passed or could not be judged are folded. If none could be judged, passes are only
 * named.
 */
function renderChecks(policy: LimitPolicyResult, judged: boolean): SafeHtml {
  const folded = new Set(["pass", "inconclusive", "not-applicable", "untested", "excluded"]);
  const open = policy.checks.filter((check) => !folded.has(check.verdict));
  const passed = policy.checks.filter((check) => check.verdict === "pass");
  const unjudged = policy.checks.filter((check) => folded.has(check.verdict) && check.verdict !== "pass");
  return html`${
      open.length > 0 &&
      table({
        caption: `Checks of ${policy.title}`,
        head: ["Check", "Verdict", "What was found", "Evidence"],
        filterable: true,
        rows: open.map(checkRow),
      })
    }
    <div>
      ${judged ? foldedChecks(`${countOf(passed.length, "check")} passed`, passed) : passed.length > 0 && html`<p class="sub">Passed in what was seen: ${passed.map((check) => check.id).join(", ")}.</p>`}${foldedChecks(`${countOf(unjudged.length, "check")} not judged`, unjudged)}
    </div>`;
}

function foldedChecks(title: string, checks: readonly LimitCheckResult[]): SafeHtml {
  if (checks.length === 0) return nothing;
  return html`<details class="group">
    <summary><span class="grow">${title}</span></summary>
    ${checks.map(
      (check) =>
        html`<div>
          <b>${check.id.split(".").map((part, index) => html`${index > 0 && html`.<wbr />`}${part}`)}</b
          ><i>${verdictWords[check.verdict].glyph} ${verdictWords[check.verdict].word}</i>
          <p>${check.title}. <small>${check.message}; ${check.considered} seen, ${check.needed} needed</small></p>
        </div>`,
    )}
  </details>`;
}

function checkRow(check: LimitCheckResult): readonly Insertable[] {
  return [
    html`${check.title}
      <div class="sub"><code>${check.id}</code></div>`,
    badge(verdictWords[check.verdict]),
    html`${check.message}
    ${check.findings.map((id) => html`<a class="id" href="#${fragment("", id)}">${id}</a> `)}${check.certificate !== null && renderCertificate(check.certificate)}`,
    html`<span class="sub">${check.considered} seen, ${check.needed} needed</span>`,
  ];
}

const maxCertificateRows = 24;

function renderCertificate(certificate: NonNullable<LimitCheckResult["certificate"]>): SafeHtml {
  return html`<details>
    <summary>
      <span class="grow sub"
        >Certificate:
        ${countOf(certificate.ops.length, "exchange")}${certificate.ops.length > maxCertificateRows && `, the first ${maxCertificateRows} here, all in result.json`}</span
      >
    </summary>
    <div class="stack">
      <p class="sub">${certificate.rule} (${certificate.spec}). Lawful would be: ${certificate.lawfulAlternative}.</p>
      ${table({
        caption: `Certificate ${certificate.kind}`,
        head: ["Exchange", "Sent", "Head", "Status", "Remaining", "Reset", "Retry-After"],
        figures: [1, 2, 3, 4, 5, 6],
        rows: certificate.ops
          .slice(0, maxCertificateRows)
          .map((op) => [
            html`<span class="id">#${op.seq}</span>`,
            op.sentMs.toFixed(1),
            op.headersMs?.toFixed(1) ?? "–",
            op.status ?? "–",
            op.remaining ?? "–",
            op.resetSeconds ?? "–",
            op.retryAfterSeconds ?? "–",
          ]),
      })}
    </div>
  </details>`;
}

function renderIdentification({ identification }: LimitPolicyResult): SafeHtml {
  if (identification === null) return nothing;
  return html`<div class="stack">
    <h4>Which limiter explains this</h4>
    ${table({
      caption: "Limiter families",
      head: ["Family", "Standing", "Why"],
      rows: [
        ...identification.survivors.map((survivor): readonly Insertable[] => [
          survivor.family,
          badge({
            ...verdictWords.pass,
            word: survivor.witness ? "consistent, reproduces every answer" : "consistent, not refuted",
          }),
          describeParameters(survivor.parameters),
        ]),
        ...identification.refuted.map((family): readonly Insertable[] => [
          family.family,
          badge({ ...verdictWords.untested, word: "refuted" }),
          family.because,
        ]),
      ],
    })}
    ${identification.nextProbe !== null && identification.survivors.length > 1 && html`<p class="sub">To distinguish the rest: ${identification.nextProbe}.</p>`}
  </div>`;
}

/** One row for each policy that other requests touched, and no exam, so that those which were examined stand out. */
function renderPassingPolicies(policies: readonly LimitPolicyResult[]): SafeHtml {
  if (policies.length === 0) return nothing;
  const count = (policy: LimitPolicyResult, lane: string): number => policy.timeline.ops.filter((op) => op.lane === lane).length;
  return html`<div class="card">
    <header>
      <h3>Seen in passing</h3>
      <span class="sub">requests of other stages, too few to judge the limit</span>
    </header>
    ${table({
      caption: "Policies that other requests touched, and no exam",
      head: ["Policy", "Admitted", "Rejected", "Why it is inconclusive", "Passed in what was seen"],
      figures: [1, 2],
      rows: policies.map((policy) => [
        html`<span id="${fragment("policy-", policy.id)}">${policy.title}</span>`,
        count(policy, "admitted"),
        count(policy, "rejected"),
        policy.summary,
        policy.checks
          .filter((check) => check.verdict === "pass")
          .map((check) => check.id)
          .join(", "),
      ]),
    })}
  </div>`;
}
