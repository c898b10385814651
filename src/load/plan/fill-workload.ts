import { resolve } from "node:path";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { ProfileError } from "../profile/profile-error.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";
import { readPrompts } from "../workload/read-prompts.ts";
import { readTokenizer } from "../workload/tokenizer/read-tokenizer.ts";
import { readText } from "./read-text.ts";

/** Reads the files that items of the workload name, which lie in `base`: prompts and tokenizers. Throws ProfileError. */
export function fillWorkload(profile: LoadProfile, base: string, name: string): LoadProfile {
  const isConversation = shapeOf(profile.arrivals).name === "conversations";
  const wordsOf = openTokenizers(base, name);
  const workload = profile.workload.map((item) => {
    if (!("promptsFile" in item)) return item;
    const rows = item.promptsFile === null ? {} : { prompts: readRows(item, { base, name, isConversation }) };
    const words = item.tokenizerFile === undefined ? {} : { words: wordsOf(item.tokenizerFile) };
    return Object.assign({}, item, rows, words);
  });
  return { ...profile, workload };
}

type PromptedItem = Extract<WorkloadItem, { readonly promptsFile: string | null }>;

function readRows(
  item: PromptedItem,
  { base, name, isConversation }: { readonly base: string; readonly name: string; readonly isConversation: boolean },
): PromptedItem["prompts"] {
  const file = item.promptsFile ?? "";
  const { rows, problems } = readPrompts(readText(resolve(base, file), file), {
    endpoint: item.endpoint,
    stream: item.endpoint === "chat" && item.stream,
    isConversation,
  });
  if (problems.length > 0) throw new ProfileError(problems.map((problem) => `${name}: ${file}: ${problem}`));
  return rows;
}

/** Reads each tokenizer once, whichever items name it. */
function openTokenizers(base: string, name: string): (file: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (file) => {
    try {
      const words = known.get(file) ?? readTokenizer(resolve(base, file));
      known.set(file, words);
      return words;
    } catch (error) {
      if (error instanceof RangeError) throw new ProfileError([`${name}: ${file}: ${error.message}`]);
      throw error;
    }
  };
}
