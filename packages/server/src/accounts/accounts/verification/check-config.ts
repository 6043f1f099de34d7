import {
  type CheckResult,
  findRefreshTokens,
  type LastExchange,
  type ObservedTokens,
  type Runner,
  RunnerError,
  stringEntries,
  TokenObserver,
} from '@linchpin/runner'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import { toFailureCode } from '../../../platform/record/attempt.ts'
import type { Actor } from '../../../platform/record/change.ts'
import type { CheckParams, PreparedConfig } from '../credentials/account-config.ts'
import type { CheckResponse, RejectedCredentials } from '../schemas.ts'
import {
  createBinding,
  getFetchedTokens,
  type Requester,
  withObservedTokens,
  withStoredTokens,
} from './rotated-tokens.ts'
import {
  deriveRotationId,
  type Rotation,
  type RotationStore,
  type TokenLeaseStore,
} from './rotation-store.ts'

export interface CheckConfigDeps extends RunCheckDeps {
  readonly rotations: RotationStore
  readonly tokenLeases: TokenLeaseStore
  readonly now: () => number
}

/** A configuration with its newest known tokens. */
export interface LatestConfig {
  readonly config: Readonly<Record<string, unknown>>
  /** Whether tokens were issued that differ from those the caller sent. */
  readonly isRefreshed: boolean
  /** When the access token expires, in epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
}

/** A checked configuration. Until it is disposed of, no other request can use its refresh tokens. */
export interface CheckedConfig extends LatestConfig, AsyncDisposable {
  readonly prepared: PreparedConfig
  readonly outcome: CheckOutcome
  /** The provider's user; undefined unless `withIdentity` asked for it. */
  readonly identity: Identity | undefined
  /** Tokens with stored rotations. Delete these in the transaction that stores the account. */
  readonly rotatedTokens: readonly string[]
}

export interface CheckConfigOptions {
  readonly sender: Requester
  /** Throws unless CHECK accepts the configuration. */
  readonly mustBeAccepted?: boolean
  /** Also runs IDENTITY. */
  readonly withIdentity?: boolean
  /** Fetches the first access token for a configuration without one; undefined if there is nothing to fetch. */
  readonly fetchInitialTokens?: (
    config: LatestConfig['config'],
  ) => Promise<Omit<LatestConfig, 'isRefreshed'> | undefined>
  /** Stores tokens that replace `configuredToken` with the account that has it; false if no account has it. */
  readonly storeWithAccount?: (tokens: ObservedTokens) => Promise<boolean>
}

/**
 * Runs CHECK while no other request can use the same refresh token. Tokens that the bundle obtains are stored,
 * encrypted, before the bundle receives them: for an hour, keyed by the token that the caller sent. A later request
 * with the same token, such as a create after a check, continues with the newest one (decision 025).
 *
 * @throws ApiError `refresh_in_progress`, `secret_required`; as `runCheck`, and as `assertAccepted` if requested
 */
export async function checkConfig(
  deps: CheckConfigDeps,
  prepared: PreparedConfig,
  options: CheckConfigOptions,
): Promise<CheckedConfig> {
  await using resources = new AsyncDisposableStack()
  const refreshTokens = findRefreshTokens(prepared.config).slice(0, MAX_TOKENS)
  if (refreshTokens.length > 0) {
    const ids = refreshTokens.map((token) => deriveRotationId(prepared, token))
    resources.use(await deps.tokenLeases.acquire(prepared.tenant.workspaceId, ids))
  }
  const watch = await startTokenWatch(deps, prepared, options)
  const outcome = await runCheck(deps, { ...prepared, ...watch })
  if (options.mustBeAccepted) assertAccepted(outcome)
  const identity = options.withIdentity
    ? await fetchIdentity(deps, { ...prepared, config: watch.config, tokens: watch.tokens })
    : undefined
  const { isRefreshed, expiresAt, rotatedTokens, tokens } = watch
  const config =
    tokens.tokens.length === 0 ? watch.config : withObservedTokens(watch.config, tokens.tokens)
  const checked = { prepared, outcome, config, isRefreshed, expiresAt, identity, rotatedTokens }
  return Object.assign(resources.move(), checked)
}

/** The sender of a request. Visitors of a link have no access token; `pageSessionId` identifies them. */
export function getSender(
  { tokenId, scopes }: Pick<Actor, 'tokenId'> & { readonly scopes?: ReadonlySet<string> },
  pageSessionId?: string,
): Requester {
  const mayReadSecrets = scopes?.has('credentials:read') === true
  if (tokenId) return { id: `token ${tokenId}`, mayReadSecrets }
  return { id: pageSessionId && `visit ${pageSessionId}`, mayReadSecrets }
}

/** The tokens of a configuration during its check. */
interface TokenWatch extends LatestConfig {
  readonly tokens: TokenObserver
  readonly rotatedTokens: readonly string[]
}

async function startTokenWatch(
  deps: CheckConfigDeps,
  prepared: PreparedConfig,
  options: CheckConfigOptions,
): Promise<TokenWatch> {
  const candidates = findCandidates(prepared.config)
  const stored = await deps.rotations.find(prepared, candidates)
  let config =
    stored.length === 0
      ? prepared.config
      : withStoredTokens(prepared.config, options.sender, stored)
  const state = {
    isRefreshed: stored.length > 0,
    expiresAt: null as number | null,
    rotatedTokens: stored.length > 0 ? candidates : [],
  }
  /** The rotation of the token that the caller sent, found by that token or by its replacement. */
  const rotations = new Map([
    ...stored.map((rotation) => [rotation.configuredToken, rotation] as const),
    ...stored.map((rotation) => [rotation.refreshToken, rotation] as const),
  ])
  const onTokens = async (tokens: ObservedTokens) => {
    const { expiresIn } = tokens
    state.isRefreshed = true
    state.expiresAt = expiresIn === undefined ? null : deps.now() + expiresIn * 1_000
    state.rotatedTokens = candidates
    await storeTokens(deps, prepared, options, rotations, tokens)
  }
  const initial = await options.fetchInitialTokens?.(config)
  if (initial !== undefined) {
    const tokens = getFetchedTokens(config, initial.config)
    if (tokens !== undefined) await onTokens(tokens)
    config = initial.config
    Object.assign(state, { isRefreshed: true, expiresAt: initial.expiresAt })
  }
  return Object.assign(state, { config, tokens: new TokenObserver(config, onTokens) })
}

/** Stores tokens with the account, or as a rotation of the token that the caller sent. */
async function storeTokens(
  deps: CheckConfigDeps,
  prepared: PreparedConfig,
  { sender, storeWithAccount }: CheckConfigOptions,
  rotations: Map<string, Rotation>,
  tokens: ObservedTokens,
): Promise<void> {
  const previous = rotations.get(tokens.configuredToken)
  const configuredToken = previous?.configuredToken ?? tokens.configuredToken
  const { accessToken, refreshToken } = tokens
  const binding = createBinding(prepared.config, sender, previous?.binding)
  if (refreshToken !== undefined)
    rotations.set(refreshToken, { configuredToken, accessToken, refreshToken, binding })
  if (await storeWithAccount?.({ ...tokens, configuredToken })) return
  if (refreshToken !== undefined)
    await deps.rotations.store(prepared, { configuredToken, accessToken, refreshToken, binding })
}

/** The strings that may be refresh tokens. Short ones count only if the name of their field says so. */
function findCandidates(config: LatestConfig['config']): string[] {
  const texts = stringEntries(config).map(([, text]) => text)
  const longTexts = [...new Set(texts.filter((text) => text.length >= MIN_TOKEN_LENGTH))]
  return [...new Set([...findRefreshTokens(config), ...longTexts.slice(0, MAX_TOKENS)])]
}

const MAX_TOKENS = 20
const MIN_TOKEN_LENGTH = 12

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

/** The provider's user that credentials belong to. */
export interface Identity {
  /** The provider's id of the user; null if the integration does not return one. */
  readonly id: string | null
  /** A display name; undefined if the integration does not return one. */
  readonly label: string | undefined
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
  const { bundle, tenant, hosts, authType, tokens, secret } = subject
  try {
    const params = { config: { ...withNewAccessTokens(subject.config, tokens), authType } }
    const call = { bundle, tenant, command: 'IDENTITY', params, hosts, tokens, secret } as const
    const { value, lastExchange } = await runner.run(call)
    const { id, label } = (value ?? {}) as { id?: unknown; label?: unknown }
    const identityId = truncateText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...createUnknownIdentity(lastExchange), label: truncateText(label, 100) }
    return { id: identityId, label: truncateText(label, 100) }
  } catch (error) {
    if (error instanceof RunnerError) return createUnknownIdentity(error.lastExchange)
    throw error
  } finally {
    await tokens.settled()
  }
}

/** The refresh tokens stay as CHECK had them, so that the observer returns the first response at their next use. */
function withNewAccessTokens(
  config: CheckParams['config'],
  { tokens }: TokenObserver,
): CheckParams['config'] {
  if (tokens.length === 0) return config
  const accessTokens = tokens.map((token) => ({ ...token, refreshToken: undefined }))
  return withObservedTokens(config, accessTokens)
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
