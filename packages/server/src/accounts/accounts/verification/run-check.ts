import {
  type CheckResult,
  type LastExchange,
  type Runner,
  RunnerError,
  type TokenObserver,
} from '@linchpin/runner'
import { MAX_SCOPES } from '../../../integrations/oauth/spec/scopes.ts'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import { toFailureCode } from '../../../platform/record/attempt.ts'
import type { CheckParams } from '../credentials/account-config.ts'
import type { CheckResponse, RejectedCredentials } from '../schemas.ts'
import { withObservedTokens } from './rotated-tokens.ts'

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
      onExchange: subject.onExchange,
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
export function attributeToProvider(error: unknown): never {
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

/** A check result as the API shows it. */
export function toCheckResponse(result: CheckResult, lastExchange: LastExchange): CheckResponse {
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

/** Whether a bundle returned a check result. */
export function isCheckResult(value: unknown): value is CheckResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { status?: unknown }).status === 'boolean'
  )
}

/** The provider's user that credentials belong to. */
export interface Identity {
  /** The provider's id of the user; null if the integration does not return one. */
  readonly id: string | null
  /** A display name; undefined if the integration does not return one. */
  readonly label: string | undefined
  /** The granted scopes; undefined if the integration does not return them. */
  readonly scopes?: readonly string[] | undefined
  /** Set if the provider could not be reached: how the last request failed. */
  readonly unreachable?: LastExchange | undefined
}

/**
 * Runs IDENTITY after CHECK, with the newest access tokens. IDENTITY is optional for integrations: any failure or malformed
 * result counts as unknown. Waits for the token requests that it has started.
 */
export async function fetchIdentity(
  { runner }: RunCheckDeps,
  subject: CheckParams & { readonly tokens: TokenObserver },
): Promise<Identity> {
  const { bundle, tenant, hosts, authType, tokens, secret, onExchange } = subject
  try {
    const params = { config: { ...withNewAccessTokens(subject.config, tokens), authType } }
    const { value, lastExchange } = await runner.run({
      bundle,
      tenant,
      command: 'IDENTITY',
      params,
      hosts,
      tokens,
      secret,
      onExchange,
    })
    const { id, label, scopes } = (value ?? {}) as Partial<Record<string, unknown>>
    const identityId = truncateText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...createUnknownIdentity(lastExchange), label: truncateText(label, 100) }
    return { id: identityId, label: truncateText(label, 100), scopes: parseScopeList(scopes) }
  } catch (error) {
    if (error instanceof RunnerError) return createUnknownIdentity(error.lastExchange)
    throw error
  } finally {
    await tokens.settled()
  }
}

/** The refresh tokens stay as CHECK had them, so that the observer returns the first response at their next use. */
export function withNewAccessTokens(
  config: CheckParams['config'],
  { tokens }: TokenObserver,
): CheckParams['config'] {
  if (tokens.length === 0) return config
  const accessTokens = tokens.map((token) => ({ ...token, refreshToken: undefined }))
  return withObservedTokens(config, accessTokens)
}

/** Undefined unless it is a list. What cannot be a scope is left out. */
function parseScopeList(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const scopes = value
    .slice(0, MAX_SCOPES)
    .flatMap((scope) => truncateText(scope, 255)?.trim() ?? [])
  return [...new Set(scopes)]
}

function createUnknownIdentity(lastExchange: LastExchange): Identity {
  const unreachable = isUnreachable(lastExchange) ? lastExchange : undefined
  return { id: null, label: undefined, unreachable }
}

/** Accepts numeric ids, except those that JSON cannot represent exactly. */
function formatNumericId(id: number): string | undefined {
  return Number.isSafeInteger(id) ? String(id) : undefined
}

function truncateText(value: unknown, maxLength: number): string | undefined {
  const isText = typeof value === 'string' && value.length <= maxLength && value.isWellFormed()
  return isText && /^[^\p{Cc}]+$/u.test(value) && value.trim() !== '' ? value : undefined
}
