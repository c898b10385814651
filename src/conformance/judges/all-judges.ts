import type { Judge } from "../judging/judge.ts";
import { audioJudges } from "./audio/audio-judges.ts";
import { chatJudges } from "./chat/chat-judges.ts";
import { conventionChunks } from "./convention/convention-chunks.ts";
import { conventionTools } from "./convention/convention-tools.ts";
import { coreJudges } from "./core-judges.ts";
import { embeddingJudges } from "./embeddings/embedding-judges.ts";
import { faultJudges } from "./faults/fault-judges.ts";
import { imageJudges } from "./images/image-judges.ts";
import { announcedWaits } from "./limits/announced-waits.ts";
import { limitRefusals } from "./limits/limit-refusals.ts";
import { modelJudges } from "./models/model-judges.ts";
import { scopeJudges } from "./scopes/scope-judges.ts";
import { settingsJudges } from "./settings/settings-judges.ts";
import { exhaustedKey } from "./spend/exhausted-key.ts";
import { quotaShape } from "./spend/quota-shape.ts";
import { eventStream } from "./stream/event-stream.ts";
import { refusedAlike } from "./stream/refused-alike.ts";
import { streamObservations } from "./stream/stream-observations.ts";
import { usageJudges } from "./usage/usage-judges.ts";

/** Every judge, in the order in which occurrences are listed; verdicts do not depend on it. */
export const allJudges: readonly Judge[] = [
  ...coreJudges,
  ...chatJudges,
  eventStream,
  streamObservations,
  refusedAlike,
  conventionChunks,
  conventionTools,
  ...embeddingJudges,
  ...imageJudges,
  ...audioJudges,
  ...modelJudges,
  ...usageJudges,
  ...settingsJudges,
  ...scopeJudges,
  ...faultJudges,
  quotaShape,
  limitRefusals,
  announcedWaits,
  exhaustedKey,
];
