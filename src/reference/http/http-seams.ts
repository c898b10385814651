import { lawfulAnswerShape, type AnswerShape } from "./answer-shape.ts";
import { lawfulCallerRules, type CallerRules } from "./caller-rules.ts";
import { lawfulChunkShape, type ChunkShape } from "./endpoints/chunk-shape.ts";
import { lawfulCompletionShape, type CompletionShape } from "./endpoints/completion-shape.ts";
import { lawfulEmbeddingShape, type EmbeddingShape } from "./endpoints/embedding-shape.ts";
import { lawfulImageShape, type ImageShape } from "./endpoints/image-shape.ts";
import { lawfulModelListShape, type ModelListShape } from "./endpoints/model-list-shape.ts";
import { lawfulReportShape, type ReportShape } from "./endpoints/report-shape.ts";
import { lawfulSettingsAnswers, type SettingsAnswers } from "./endpoints/settings-answers.ts";
import { lawfulStreamRules, type StreamRules } from "./endpoints/stream-rules.ts";
import { lawfulTranscriptRules, type TranscriptRules } from "./endpoints/transcript-rules.ts";
import { lawfulConnectionRules, type ConnectionRules } from "./connection-rules.ts";
import { lawfulErrorShape, type ErrorShape } from "./error-shape.ts";
import { lawfulOperationRules, type OperationRules } from "./operation-rules.ts";
import { lawfulReadingRules, type ReadingRules } from "./reading-rules.ts";

/** Seams of routes and bodies by domain. */
export interface HttpSeams {
  readonly answers: AnswerShape;
  readonly callers: CallerRules;
  readonly chunks: ChunkShape;
  readonly completion: CompletionShape;
  readonly connections: ConnectionRules;
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

export const lawfulHttpSeams: HttpSeams = {
  answers: lawfulAnswerShape,
  callers: lawfulCallerRules,
  chunks: lawfulChunkShape,
  completion: lawfulCompletionShape,
  connections: lawfulConnectionRules,
  embeddings: lawfulEmbeddingShape,
  errors: lawfulErrorShape,
  images: lawfulImageShape,
  models: lawfulModelListShape,
  operations: lawfulOperationRules,
  reading: lawfulReadingRules,
  settings: lawfulSettingsAnswers,
  stream: lawfulStreamRules,
  transcripts: lawfulTranscriptRules,
  usage: lawfulReportShape,
};
