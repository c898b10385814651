import type { HttpSeams } from "../../http/http-seams.ts";
import type { Switchboard } from "../switch.ts";
import { patchAnswerShape } from "./patch-answer-shape.ts";
import { patchCallerRules } from "./patch-caller-rules.ts";
import { patchChunkShape } from "./patch-chunk-shape.ts";
import { patchCompletionShape } from "./patch-completion-shape.ts";
import { patchConnectionRules } from "./patch-connection-rules.ts";
import { patchEmbeddingShape } from "./patch-embedding-shape.ts";
import { patchErrorShape } from "./patch-error-shape.ts";
import { patchImageShape } from "./patch-image-shape.ts";
import { patchModelList } from "./patch-model-list.ts";
import { patchOperationRules } from "./patch-operation-rules.ts";
import { patchReadingRules } from "./patch-reading-rules.ts";
import { patchReportShape } from "./patch-report-shape.ts";
import { patchSettingsAnswers } from "./patch-settings-answers.ts";
import { patchStreamRules } from "./patch-stream-rules.ts";
import { patchTranscriptRules } from "./patch-transcript-rules.ts";
import type { RequestsUnderWay } from "./requests-under-way.ts";

export function patchHttp(switches: Switchboard, underWay: RequestsUnderWay): HttpSeams {
  return {
    answers: patchAnswerShape(switches),
    callers: patchCallerRules(switches),
    chunks: patchChunkShape(switches),
    completion: patchCompletionShape(switches),
    connections: patchConnectionRules(switches, underWay),
    embeddings: patchEmbeddingShape(switches),
    errors: patchErrorShape(switches),
    images: patchImageShape(switches),
    models: patchModelList(switches),
    operations: patchOperationRules(switches),
    reading: patchReadingRules(switches),
    settings: patchSettingsAnswers(switches),
    stream: patchStreamRules(switches),
    transcripts: patchTranscriptRules(switches),
    usage: patchReportShape(switches),
  };
}
