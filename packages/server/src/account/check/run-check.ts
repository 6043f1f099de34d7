import {
  type CheckResult,
  type LastExchange,
  type Runner,
  RunnerError,
  type Tenant,
  type TokenObserver,
} from '@linchpin/runner'
import type { BundleStore } from '../../definition/bundle-store.ts'
import { ApiError } from '../../errors.ts'
import type { SecretGuard } from '../../oauth/token/secret-guard.ts'
import type { CheckAnswer } from '../wire/check-answer.ts'
import { NOT_ACCEPTED } from './not-accepted.ts'

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
  readonly answer: CheckAnswer
  readonly lastExchange: LastExchange
}

/** Longest text of a bundle that is passed on. */
const MAX_TEXT = 500

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
      subject.secret?.throwRefusal()
      return blameProvider(error)
    })
  if (!isVerdict(value) || !value.status) subject.secret?.throwRefusal()
  if (!isVerdict(value))
    throw new ApiError(
      'integration_bad_output',
      'The integration did not say whether the credentials work.',
    )
  return { answer: toAnswer(value, lastExchange), lastExchange }
}

/** Whether the provider was not there to judge: a refusal then says nothing about the credentials. */
export function isUnreachable(lastExchange: LastExchange): boolean {
  return lastExchange !== 'none' && lastExchange !== 'answered'
}

/** The provider was not there: the move is to try again later. */
export function providerFailure(lastExchange: LastExchange, cause?: unknown): ApiError {
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
function blameProvider(error: unknown): never {
  if (
    error instanceof RunnerError &&
    error.code === 'integration_failed' &&
    isUnreachable(error.lastExchange)
  )
    throw providerFailure(error.lastExchange, error)
  throw error
}

function toAnswer(verdict: CheckResult, lastExchange: LastExchange): CheckAnswer {
  if (verdict.status) return { status: true, error: '' }
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined
  const error = text(verdict.error) ?? NOT_ACCEPTED
  const said = {
    code: text(verdict.code),
    field: text(verdict.field),
    hint: text(verdict.hint),
    retryable: typeof verdict.retryable === 'boolean' ? verdict.retryable : undefined,
  }
  const known = isUnreachable(lastExchange) ? unheard(said) : said
  const given = Object.entries(known).filter(([, value]) => value !== undefined)
  return { status: false, error, ...Object.fromEntries(given) }
}

/** Of a provider that did not judge, the integration may say why; of the credentials it knows nothing. */
function unheard({ code, field, hint }: Said): Said {
  const isHostWrong = code === 'wrong_host'
  return {
    code: code !== undefined && WHY_UNHEARD.has(code) ? code : 'provider_unreachable',
    field: isHostWrong ? field : undefined,
    hint,
    retryable: !isHostWrong,
  }
}

type Said = Readonly<Record<'code' | 'field' | 'hint', string | undefined>> & {
  readonly retryable: boolean | undefined
}

const WHY_UNHEARD = new Set(['rate_limited', 'provider_unreachable', 'wrong_host'])

function isVerdict(value: unknown): value is CheckResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { status?: unknown }).status === 'boolean'
  )
}
