import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createRandom, type Random } from "../../core/random.ts";
import { plannedSend } from "../../load/profile/planned-send.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import type { WorkloadItem } from "../../load/profile/workload-item.ts";
import { workloadBlockers } from "../../load/profile/workload-blockers.ts";
import { templateLengths } from "../../load/workload/template-lengths.ts";
import { createWorkload } from "../../load/workload/workload.ts";

type ChatItem = Extract<WorkloadItem, { readonly endpoint: "chat" }>;

export interface LearnInput {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly sender: Pick<Sender, "send">;
  readonly seed: number;
  readonly note: (text: string) => void;
}

/**
 * The profile with the tokens that the template of the target adds to a prompt, for entries that want exact lengths: a few short
 * requests of known length show it, as long as the difference is the same for all of them. Otherwise the profile stays as it
 * is and a note says why.
 */
export async function learnTemplate(input: LearnInput): Promise<LoadProfile> {
  const { profile, manifest, note } = input;
  if (workloadBlockers(profile, manifest).length > 0) return profile;
  const workload: WorkloadItem[] = [];
  for (const item of profile.workload) {
    if (item.endpoint !== "chat" || !item.exactPrompts || item.prompts !== null) {
      workload.push(item);
      continue;
    }
    const learned = await askItem(item, input);
    if (typeof learned === "string") note(`${profile.id}: prompts of ${item.label} are not exact: ${learned}`);
    workload.push(typeof learned === "string" ? item : { ...item, templateTokens: learned });
  }
  return { ...profile, workload };
}

/** The tokens, or why they are not known. */
async function askItem(item: ChatItem, input: LearnInput): Promise<number | string> {
  const random = createRandom(input.seed).fork(`${input.profile.id}/template/${item.label}`);
  const added: number[] = [];
  for (const [index, tokens] of templateLengths.entries()) {
    const counted = await countPrompt(item, tokens, random.fork(String(index)), input);
    if (typeof counted === "string") return counted;
    added.push(counted - tokens);
  }
  const [first = 0] = added;
  if (added.some((each) => each !== first))
    return `the target adds ${[...new Set(added)].join(" or ")} tokens to prompts of ${templateLengths.join(", ")} words, not always the same`;
  return first < 0 ? `the target counts ${-first} tokens less than the prompt has words` : first;
}

async function countPrompt(
  item: ChatItem,
  tokens: number,
  random: Random,
  { profile, manifest, sender }: LearnInput,
): Promise<number | string> {
  const { min_tokens: _least, n: _answers, best_of: _best, ...body } = item.body;
  const short: ChatItem = { ...item, stream: false, outputTokens: { kind: "fixed", value: 1 }, body };
  const key = loadKeyName(profile.key, manifest);
  const workload = createWorkload([short], { manifest, keyName: key, random, wallMs: () => 0 });
  const { endpoint, method, path, body: sent, reserve } = workload.request(0, plannedSend(0, { promptTokens: tokens }));
  const exchange = await sender.send({
    stage: "setup",
    caseId: "learn-template",
    label: key,
    intent: { kind: "housekeeping", purpose: "tokens that the template adds to a prompt" },
    endpoint,
    method,
    path,
    credential: { kind: "bearer", key },
    ...(sent === null ? {} : { body: sent }),
    reserve,
  });
  const { usage, status } = factsOf(exchange);
  if (status !== 200) return `a request of ${tokens} words was answered ${status ?? "by nothing"}`;
  return usage?.promptTokens ?? "answers report no usage.prompt_tokens";
}
