import type { AnswerShape } from "./answer-shape.ts";
import type { CallerRules } from "./caller-rules.ts";
import type { ChunkShape } from "./endpoints/chunk-shape.ts";
import type { CompletionShape } from "./endpoints/completion-shape.ts";
import type { EmbeddingShape } from "./endpoints/embedding-shape.ts";
import type { ImageShape } from "./endpoints/image-shape.ts";
import type { ModelListShape } from "./endpoints/model-list-shape.ts";
import type { ReportShape } from "./endpoints/report-shape.ts";
import type { SettingsAnswers } from "./endpoints/settings-answers.ts";
import type { StreamRules } from "./endpoints/stream-rules.ts";
import type { TranscriptRules } from "./endpoints/transcript-rules.ts";
import type { ErrorShape } from "./error-shape.ts";
import type { OperationRules } from "./operation-rules.ts";
import type { ReadingRules } from "./reading-rules.ts";

/** Seams of routes and bodies by domain. */
export interface HttpSeams {
  readonly answers: AnswerShape;
  readonly callers: CallerRules;
  readonly chunks: ChunkShape;
  readonly completion: CompletionShape;
  readonly embeddings: EmbeddingShape;
  readonly errors: ErrorShape;
  readonly images: ImageShape;
  readonly models: ModelListShape;
  readonly operations: OperationRules;
  readonly reading: ReadingRules;
  readonly settings: SettingsAnswers;
  readonly stream: StreamRules;
  readonly transcripts: TranscriptRules;
  readonly usage: ReportShape;
}
