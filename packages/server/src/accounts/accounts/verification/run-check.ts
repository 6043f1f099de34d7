import { type CheckResult, type LastExchange, type Runner, RunnerError } from '@linchpin/runner'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import { toFailureCode } from '../../../platform/record/failure-code.ts'
import type { CheckParams } from '../credentials/check-params.ts'
import type { CheckResponse, RejectedCredentials } from '../schemas/check-response.ts'

export interface RunCheckDeps {
  readonly runner: Runner
}

/** A check result, and how the last request of the check ended. */
export interface CheckOutcome {
  readonly result: CheckResponse
  readonly lastExchange: LastExchange
  /** The HTTP status of the provider's last response. */
  readonly lastStatus: number | undefined
  /** The provider's id of that request. */
  readonly lastRequestId: string | undefined
}

/** The message of a check result if the integration rejects credentials without one. */
export const DEFAULT_REJECTION_MESSAGE = 'The credentials were not accepted.'

/** Maximum length of text from a bundle that is passed on, in characters. */
const MAX_TEXT_LENGTH = 500

/**
 * Runs CHECK in the sandbox, and waits for the token requests that it has started. The runner has removed the
 * configuration's values from the bundle's messages; this function truncates them.
 *
 * @throws RunnerError when the bundle crashes or exceeds its limits
 * @throws ApiError `integration_bad_output` when it returns no check result; `provider_…` or `egress_unavailable` when it
 * threw because the provider was unreachable; `oauth_app_secret_required` when it failed because the client secret was
 * withheld
 */
export async function runCheck(deps: RunCheckDeps, subject: CheckParams): Promise<CheckOutcome> {
  const config = { ...subject.config, authType: subject.authType }
  const { value, ...lastRequest } = await deps.runner
    .run({
      bundle: subject.bundle,
      tenant: subject.tenant,
      command: 'CHECK',
      params: { config },
      hosts: subject.hosts,
      tokens: subject.tokens,
      secret: subject.secret,
    })
    .catch((error) => {
      subject.secret?.throwIfDenied()
      return attributeToProvider(error)
    })
    .finally(() => subject.tokens?.settled())
  if (!isCheckResult(value) || !value.status) subject.secret?.throwIfDenied()
  if (!isCheckResult(value))
    throw new ApiError('integration_bad_output', 'The integration did not return a check result.')
  const { lastExchange, lastStatus, lastRequestId } = lastRequest
  const result = toCheckResponse(value, lastExchange)
  return { result, lastExchange, lastStatus, lastRequestId }
}

/** Whether the provider was unreachable, so that a failed check does not mean invalid credentials. */
export function isUnreachable(lastExchange: LastExchange): boolean {
  return lastExchange !== 'none' && lastExchange !== 'answered'
}

/** What is known of a failed check beside its result. */
interface CheckFailure {
  readonly cause?: unknown
  readonly providerStatus?: number | undefined
  readonly providerRequestId?: string | undefined
}

/** The error for an unreachable provider or a failure of our own network: the caller should retry later. */
export function createProviderUnavailableError(
  lastExchange: LastExchange,
  details: CheckFailure = {},
): ApiError {
  if (lastExchange === 'egress_unavailable')
    return new ApiError(
      'egress_unavailable',
      'The provider could not be reached because the outgoing network of Linchpin is unavailable. Nothing was stored.',
      details,
    )
  return lastExchange === 'timeout'
    ? new ApiError(
        'provider_timeout',
        'The provider did not answer in time. Nothing was stored.',
        details,
      )
    : new ApiError(
        'provider_error',
        'The provider is currently unable to check the credentials. Nothing was stored.',
        details,
      )
}

/**
 * Throws unless CHECK accepted the credentials.
 *
 * @throws CredentialsRejectedError; ApiError `provider_…` if the provider was unreachable
 */
export function assertAccepted({
  result,
  lastExchange,
  lastStatus: providerStatus,
  lastRequestId: providerRequestId,
}: CheckOutcome): void {
  if (result.status) return
  const details = { providerStatus, providerRequestId }
  if (isUnreachable(lastExchange)) throw createProviderUnavailableError(lastExchange, details)
  throw new CredentialsRejectedError(result, details)
}

/**
 * CHECK rejected a configuration. `checkResult` has details that the error response omits and the connect page shows.
 */
export class CredentialsRejectedError extends ApiError {
  readonly checkResult: RejectedCredentials

  constructor(checkResult: RejectedCredentials, details: Omit<CheckFailure, 'cause'> = {}) {
    super('credentials_rejected', 'The provider did not accept these credentials.', {
      errors: fieldError('config', 'rejected', checkResult.error),
      ...details,
    })
    this.checkResult = checkResult
  }
}

/**
 * Many integrations throw when the provider is down; report that as a provider error, not as a bug of the
 * integration.
 */
function attributeToProvider(error: unknown): never {
  if (
    error instanceof RunnerError &&
    error.code === 'integration_failed' &&
    isUnreachable(error.lastExchange)
  )
    throw createProviderUnavailableError(error.lastExchange, {
      cause: error,
      providerStatus: error.lastStatus,
      providerRequestId: error.lastRequestId,
    })
  throw error
}

function toCheckResponse(result: CheckResult, lastExchange: LastExchange): CheckResponse {
  if (result.status) return { status: true, error: '' }
  // PostgreSQL stores no U+0000.
  const text = (value: unknown) =>
    typeof value === 'string' && value !== ''
      ? value.slice(0, MAX_TEXT_LENGTH).replaceAll('\0', '\u{FFFD}')
      : undefined
  const error = text(result.error) ?? DEFAULT_REJECTION_MESSAGE
  const details = {
    code: toFailureCode(text(result.code)),
    field: text(result.field),
    hint: text(result.hint),
    retryable: typeof result.retryable === 'boolean' ? result.retryable : undefined,
  }
  const reportedDetails = isUnreachable(lastExchange) ? createUnreachableDetails(details) : details
  const definedDetails = Object.entries(reportedDetails).filter(([, value]) => value !== undefined)
  return { status: false, error, ...Object.fromEntries(definedDetails) }
}

/** When the provider was unreachable, the integration may report why, but nothing about the credentials. */
function createUnreachableDetails({ code, field, hint }: CheckDetails): CheckDetails {
  const isHostWrong = code === 'wrong_host'
  return {
    code: code !== undefined && UNREACHABLE_CODES.has(code) ? code : 'provider_unreachable',
    field: isHostWrong ? field : undefined,
    hint,
    retryable: !isHostWrong,
  }
}

type CheckDetails = Readonly<Record<'code' | 'field' | 'hint', string | undefined>> & {
  readonly retryable: boolean | undefined
}

const UNREACHABLE_CODES = new Set(['rate_limited', 'provider_unreachable', 'wrong_host'])

function isCheckResult(value: unknown): value is CheckResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { status?: unknown }).status === 'boolean'
  )
}
