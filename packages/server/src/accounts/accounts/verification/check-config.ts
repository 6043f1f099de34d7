import {
  findRefreshTokens,
  type ObservedTokens,
  stringEntries,
  TokenObserver,
} from '@linchpin/runner'
import type { Actor } from '../../../platform/record/change.ts'
import type { AccountFacts } from '../account.ts'
import type { PreparedConfig } from '../credentials/account-config.ts'
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
import {
  assertAccepted,
  type CheckOutcome,
  type FactSelection,
  type Identity,
  inspectConnection,
  type RunCheckDeps,
  runCheck,
  UNKNOWN_IDENTITY,
} from './run-check.ts'

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
  /** The provider's user; unknown unless `withIdentity` asked for it. */
  readonly identity: Identity
  /** What the provider said about the connection; empty unless the configuration had to be accepted. */
  readonly facts: AccountFacts
  /** Tokens with stored rotations. Delete these in the transaction that stores the account. */
  readonly rotatedTokens: readonly string[]
}

export interface CheckConfigOptions {
  readonly sender: Requester
  /** Throws unless CHECK accepts the configuration. */
  readonly mustBeAccepted?: boolean
  /** Which facts the connection should have. Default: those that the configuration names. */
  readonly facts?: FactSelection
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
  const { config: watched, tokens } = watch
  const checked = { ...prepared, config: watched, tokens }
  const outcome = await runCheck(deps, checked)
  if (options.mustBeAccepted) assertAccepted(outcome)
  const { facts, factValues, identity } = options.mustBeAccepted
    ? await inspectConnection(deps, checked, {
        facts: prepared.facts,
        selection: options.facts ?? { selected: prepared.selectedFacts },
        withIdentity: options.withIdentity ?? false,
      })
    : { facts: {}, factValues: {}, identity: UNKNOWN_IDENTITY }
  const { isRefreshed, expiresAt, rotatedTokens } = watch
  const latest = tokens.tokens.length === 0 ? watched : withObservedTokens(watched, tokens.tokens)
  return Object.assign(resources.move(), {
    prepared,
    outcome,
    config: { ...latest, ...factValues },
    isRefreshed,
    expiresAt,
    rotatedTokens,
    facts,
    identity,
  })
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
