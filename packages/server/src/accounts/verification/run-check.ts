import {
  type CheckResult,
  type LastExchange,
  type Runner,
  RunnerError,
  type Tenant,
  type TokenObserver,
} from '@linchpin/runner'
import type { BundleStore } from '../../definitions/bundle-store.ts'
import { ApiError } from '../../errors.ts'
import type { SecretGuard } from '../../oauth/token/secret-guard.ts'
import type { CheckResponse } from '../schemas/check-response.ts'
import { DEFAULT_REJECTION_MESSAGE } from './default-rejection-message.ts'

export interface RunCheckDeps {
  readonly bundles: BundleStore
  readonly runner: Runner
}

/** What a check is of. `hosts` comes from the spec. */
export interface CheckSubject {
  readonly sha256: string
  readonly tenant: Tenant
  readonly hosts: readonly string[] | undefined
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
  /** Observes the tokens that the bundle gets. */
  readonly tokens?: TokenObserver
  /** Withholds the client secret of the configuration from other hosts than those of its OAuth app. */
  readonly secret?: SecretGuard | undefined
}

/** A verdict, and how the last request of the check went. */
export interface CheckOutcome {
  readonly result: CheckResponse
  readonly lastExchange: LastExchange
}

/** Longest text of a bundle that is passed on. */
const MAX_TEXT_LENGTH = 500

/**
 * Runs CHECK in the jail. The runner has cleared the bundle's words of the configuration's values; they are cut here.
 *
 * @throws RunnerError when the bundle crashes or breaks its limits
 * @throws ApiError `integration_bad_output` when it answers no verdict; `provider_…` when it threw because the
 * provider was not there; `oauth_app_secret_required` when it failed because the client secret was withheld
 */
export async function runCheck(deps: RunCheckDeps, subject: CheckSubject): Promise<CheckOutcome> {
  const config = { ...subject.config, authType: subject.authType }
  const { value, lastExchange } = await deps.runner
    .run({
      bundle: deps.bundles.bundle(subject.sha256),
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
  if (!isCheckResult(value) || !value.status) subject.secret?.throwIfDenied()
  if (!isCheckResult(value))
    throw new ApiError(
      'integration_bad_output',
      'The integration did not say whether the credentials work.',
    )
  return { result: toCheckResponse(value, lastExchange), lastExchange }
}

/** Whether the provider was not there to judge: a refusal then says nothing about the credentials. */
export function isUnreachable(lastExchange: LastExchange): boolean {
  return lastExchange !== 'none' && lastExchange !== 'answered'
}

/** The provider was not there: the move is to try again later. */
export function providerUnavailableError(lastExchange: LastExchange, cause?: unknown): ApiError {
  return lastExchange === 'timeout'
    ? new ApiError('provider_timeout', 'The provider did not answer in time. Nothing was stored.', {
        cause,
      })
    : new ApiError(
        'provider_error',
        'The provider could not check the credentials now. Nothing was stored.',
        { cause },
      )
}

/** Many integrations throw when the provider is down: that is no fault of theirs. */
function attributeToProvider(error: unknown): never {
  if (
    error instanceof RunnerError &&
    error.code === 'integration_failed' &&
    isUnreachable(error.lastExchange)
  )
    throw providerUnavailableError(error.lastExchange, error)
  throw error
}

function toCheckResponse(result: CheckResult, lastExchange: LastExchange): CheckResponse {
  if (result.status) return { status: true, error: '' }
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT_LENGTH) : undefined
  const error = text(result.error) ?? DEFAULT_REJECTION_MESSAGE
  const details = {
    code: text(result.code),
    field: text(result.field),
    hint: text(result.hint),
    retryable: typeof result.retryable === 'boolean' ? result.retryable : undefined,
  }
  const relevant = isUnreachable(lastExchange) ? unreachableDetails(details) : details
  const present = Object.entries(relevant).filter(([, value]) => value !== undefined)
  return { status: false, error, ...Object.fromEntries(present) }
}

/** Of a provider that did not judge, the integration may say why; of the credentials it knows nothing. */
function unreachableDetails({ code, field, hint }: CheckDetails): CheckDetails {
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
