import type { Judge } from "../judging/judge.ts";
import { credentialAcceptance } from "./auth/credential-acceptance.ts";
import { credentialsBeforeLimits } from "./auth/credentials-before-limits.ts";
import { noKeyInResponse } from "./auth/no-key-in-response.ts";
import { unauthorized } from "./auth/unauthorized.ts";
import { atOnce } from "./concurrency/at-once.ts";
import { refusalsAtOnce } from "./concurrency/refusals-at-once.ts";
import { remainingIsCredible } from "./headers/remaining-is-credible.ts";
import { errorObservations } from "./errors/error-observations.ts";
import { errorShape } from "./errors/error-shape.ts";
import { noInternals } from "./errors/no-internals.ts";
import { retryHints } from "./errors/retry-hints.ts";
import { stableErrorCodes } from "./errors/stable-error-codes.ts";
import { validationDetails } from "./errors/validation-details.ts";
import { invalidRequestsCount } from "./headers/invalid-requests-count.ts";
import { rateLimitHeaderSeries } from "./headers/rate-limit-header-series.ts";
import { rateLimitHeaderValues } from "./headers/rate-limit-header-values.ts";
import { rateLimitHeadersPresent } from "./headers/rate-limit-headers-present.ts";
import { outcomesAsStated } from "./outcomes/outcomes-as-stated.ts";
import { elementRules } from "./rejections/element-rules.ts";
import { rejectsAsStated } from "./rejections/rejects-as-stated.ts";
import { unspecifiedAnswers } from "./unspecified/unspecified-answers.ts";
import { everyRequestAnswered } from "./wellformed/every-request-answered.ts";
import { jsonBody } from "./wellformed/json-body.ts";
import { mediaType } from "./wellformed/media-type.ts";
import { noServerError } from "./wellformed/no-server-error.ts";
import { openObjects } from "./wellformed/open-objects.ts";
import { successStatus } from "./wellformed/success-status.ts";

/** Judges of every response, whatever the operation. */
export const coreJudges: readonly Judge[] = [
  jsonBody,
  mediaType,
  successStatus,
  openObjects,
  noServerError,
  everyRequestAnswered,
  atOnce,
  refusalsAtOnce,
  rateLimitHeadersPresent,
  rateLimitHeaderValues,
  rateLimitHeaderSeries,
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
  unauthorized,
  rejectsAsStated,
  elementRules,
  outcomesAsStated,
  unspecifiedAnswers,
];
