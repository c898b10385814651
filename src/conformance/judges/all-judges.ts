import type { Judge } from "../judging/judge.ts";
import { transcriptionAcceptance } from "./audio/transcription-acceptance.ts";
import { transcriptionIsJson } from "./audio/transcription-is-json.ts";
import { transcriptionShape } from "./audio/transcription-shape.ts";
import { credentialAcceptance } from "./auth/credential-acceptance.ts";
import { credentialsBeforeLimits } from "./auth/credentials-before-limits.ts";
import { noKeyInResponse } from "./auth/no-key-in-response.ts";
import { oneStateOfAKey } from "./auth/one-state-of-a-key.ts";
import { otherNotations } from "./auth/other-notations.ts";
import { unauthorized } from "./auth/unauthorized.ts";
import { chatAcceptance } from "./chat/chat-acceptance.ts";
import { chatCompletionRelations } from "./chat/chat-completion-relations.ts";
import { chatCompletionShape, chatCompletionWithToolsShape } from "./chat/chat-completion-shape.ts";
import { chatCompletionValues } from "./chat/chat-completion-values.ts";
import { chatStreamDefault } from "./chat/chat-stream-default.ts";
import { atOnce } from "./concurrency/at-once.ts";
import { borrowedFields } from "./concurrency/borrowed-fields.ts";
import { recordingsAtOnce } from "./concurrency/recordings-at-once.ts";
import { refusalsAtOnce } from "./concurrency/refusals-at-once.ts";
import { conventionChunks } from "./convention/convention-chunks.ts";
import { conventionTools } from "./convention/convention-tools.ts";
import { embeddingAcceptance } from "./embeddings/embedding-acceptance.ts";
import { embeddingCount } from "./embeddings/embedding-count.ts";
import { embeddingDimensions } from "./embeddings/embedding-dimensions.ts";
import { embeddingEncoding } from "./embeddings/embedding-encoding.ts";
import { embeddingListBase64Shape, embeddingListFloatShape } from "./embeddings/embedding-list-shape.ts";
import { embeddingRelations } from "./embeddings/embedding-relations.ts";
import { embeddingUsage } from "./embeddings/embedding-usage.ts";
import { errorObservations } from "./errors/error-observations.ts";
import { errorShape } from "./errors/error-shape.ts";
import { noInternals } from "./errors/no-internals.ts";
import { retryHints } from "./errors/retry-hints.ts";
import { stableErrorCodes } from "./errors/stable-error-codes.ts";
import { validationDetails } from "./errors/validation-details.ts";
import { blockedAccount } from "./faults/blocked-account.ts";
import { freshKey } from "./faults/fresh-key.ts";
import { serverErrors } from "./faults/server-errors.ts";
import { invalidRequestsCount } from "./headers/invalid-requests-count.ts";
import { rateLimitHeaderSeries } from "./headers/rate-limit-header-series.ts";
import { rateLimitHeaderValues } from "./headers/rate-limit-header-values.ts";
import { rateLimitHeadersPresent } from "./headers/rate-limit-headers-present.ts";
import { ietfLimitsAgree } from "./headers/ietf-limits-agree.ts";
import { remainingIsCredible } from "./headers/remaining-is-credible.ts";
import { imageAcceptance } from "./images/image-acceptance.ts";
import { imageFetch } from "./images/image-fetch.ts";
import { imageNeedsNoModel } from "./images/image-needs-no-model.ts";
import { imageResult } from "./images/image-result.ts";
import { imageShape } from "./images/image-shape.ts";
import { announcedWaits } from "./limits/announced-waits.ts";
import { limitRefusals } from "./limits/limit-refusals.ts";
import { modelAcceptance } from "./models/model-acceptance.ts";
import { modelListShape } from "./models/model-list-shape.ts";
import { modelList } from "./models/model-list.ts";
import { modelsAreListed } from "./models/models-are-listed.ts";
import { optionsTogether } from "./options/options-together.ts";
import { outcomesAsStated } from "./outcomes/outcomes-as-stated.ts";
import { relationsHold } from "./relations/relations-hold.ts";
import { elementRules } from "./rejections/element-rules.ts";
import { rejectsAsStated } from "./rejections/rejects-as-stated.ts";
import { pathAccess } from "./scopes/path-access.ts";
import { scopeRefusals } from "./scopes/scope-refusals.ts";
import { accountEffect } from "./settings/account-effect.ts";
import { notFoundAnswers } from "./settings/not-found-answers.ts";
import { notFoundTimes } from "./settings/not-found-times.ts";
import { accountSettingsAcceptance, keySettingsAcceptance } from "./settings/settings-acceptance.ts";
import { settingsAnswer } from "./settings/settings-answer.ts";
import { settingsEffect } from "./settings/settings-effect.ts";
import { exhaustedKey } from "./spend/exhausted-key.ts";
import { quotaShape } from "./spend/quota-shape.ts";
import { eventStream } from "./stream/event-stream.ts";
import { refusedAlike } from "./stream/refused-alike.ts";
import { streamSlots } from "./stream/stream-slots.ts";
import { streamObservations } from "./stream/stream-observations.ts";
import { unspecifiedAnswers } from "./unspecified/unspecified-answers.ts";
import { likeCosts } from "./usage/like-costs.ts";
import { pricedWork } from "./usage/priced-work.ts";
import { refusedUsage } from "./usage/refused-usage.ts";
import { usageAcceptance } from "./usage/usage-acceptance.ts";
import { usageBuckets } from "./usage/usage-buckets.ts";
import { usageReconciliation } from "./usage/usage-reconciliation.ts";
import { usageReportShape } from "./usage/usage-report-shape.ts";
import { usageSums } from "./usage/usage-sums.ts";
import { usageWindows } from "./usage/usage-windows.ts";
import { tokensFall } from "./headers/tokens-fall.ts";
import { framingRefused } from "./wellformed/framing-refused.ts";
import { keptConnection } from "./wellformed/kept-connection.ts";
import { everyRequestAnswered } from "./wellformed/every-request-answered.ts";
import { jsonBody } from "./wellformed/json-body.ts";
import { mediaType } from "./wellformed/media-type.ts";
import { noServerError } from "./wellformed/no-server-error.ts";
import { openObjects } from "./wellformed/open-objects.ts";
import { successStatus } from "./wellformed/success-status.ts";

/** Every judge, in the order in which occurrences are listed; verdicts do not depend on it. */
export const allJudges: readonly Judge[] = [
  // Of every response, whatever the operation.
  jsonBody,
  mediaType,
  successStatus,
  openObjects,
  noServerError,
  everyRequestAnswered,
  framingRefused,
  keptConnection,
  tokensFall,
  atOnce,
  refusalsAtOnce,
  recordingsAtOnce,
  borrowedFields,
  rateLimitHeadersPresent,
  rateLimitHeaderValues,
  rateLimitHeaderSeries,
  ietfLimitsAgree,
  remainingIsCredible,
  invalidRequestsCount,
  errorShape,
  validationDetails,
  errorObservations,
  stableErrorCodes,
  noInternals,
  retryHints,
  noKeyInResponse,
  credentialAcceptance,
  credentialsBeforeLimits,
  otherNotations,
  unauthorized,
  oneStateOfAKey,
  rejectsAsStated,
  elementRules,
  relationsHold,
  outcomesAsStated,
  unspecifiedAnswers,
  optionsTogether,
  // Of one area each.
  chatAcceptance,
  chatCompletionShape,
  chatCompletionWithToolsShape,
  chatCompletionValues,
  chatCompletionRelations,
  chatStreamDefault,
  eventStream,
  streamObservations,
  refusedAlike,
  streamSlots,
  conventionChunks,
  conventionTools,
  embeddingAcceptance,
  embeddingListFloatShape,
  embeddingListBase64Shape,
  embeddingCount,
  embeddingEncoding,
  embeddingDimensions,
  embeddingUsage,
  embeddingRelations,
  imageAcceptance,
  imageNeedsNoModel,
  imageShape,
  imageResult,
  imageFetch,
  transcriptionAcceptance,
  transcriptionShape,
  transcriptionIsJson,
  modelAcceptance,
  modelListShape,
  modelList,
  modelsAreListed,
  usageAcceptance,
  usageReportShape,
  usageBuckets,
  usageSums,
  usageWindows,
  usageReconciliation,
  refusedUsage,
  likeCosts,
  pricedWork,
  keySettingsAcceptance,
  accountSettingsAcceptance,
  settingsAnswer,
  settingsEffect,
  accountEffect,
  notFoundAnswers,
  notFoundTimes,
  scopeRefusals,
  pathAccess,
  serverErrors,
  blockedAccount,
  freshKey,
  quotaShape,
  limitRefusals,
  announcedWaits,
  exhaustedKey,
];
