import { findRefreshTokens, type ObservedTokens, TokenObserver } from '@linchpin/runner'
import type { Transaction } from '../../storage/transaction.ts'
import type { PreparedConfig } from '../credentials/prepare-config.ts'
import {
  createEncryptedRotations,
  type EncryptedRotationsDeps,
  MAX_TOKENS,
  rotationId,
} from './encrypted-rotations.ts'
import { assertMayUseRotation, createBinding, type Sender } from './rotation-binding.ts'
import { type CheckOutcome, type RunCheckDeps, runCheck } from './run-check.ts'
import { withObservedTokens } from './with-observed-tokens.ts'
import { type TokenLeaseDeps, withTokenLease } from './with-token-lease.ts'

export interface CheckConfigDeps extends RunCheckDeps, TokenLeaseDeps, EncryptedRotationsDeps {}

/** A configuration with its newest known tokens. */
export interface NewestConfig {
  readonly config: Readonly<Record<string, unknown>>
  /** Whether tokens were issued that differ from those the caller sent. */
  readonly isRefreshed: boolean
  /** When the access token expires, in epoch milliseconds; null when unknown. */
  readonly expiresAt: number | null
}

/** A configuration and the outcome of its CHECK. */
export interface CheckedConfig {
  readonly outcome: CheckOutcome
  /**
   * The subject of an IDENTITY run: refreshing with a token that CHECK has already used returns the tokens from that
   * first response.
   */
  identitySubject(): PreparedConfig
  /** Waits for pending token requests. */
  newest(): Promise<NewestConfig>
  /** Deletes the temporarily stored tokens. Call it in the transaction that stores the account. */
  deleteStoredTokens(trx: Transaction): Promise<void>
}

export interface CheckConfigOptions {
  readonly sender: Sender
  /** Fetches the first access token for a configuration without one; undefined if there is nothing to fetch. */
  readonly fetchInitialTokens?: (
    config: NewestConfig['config'],
  ) => Promise<Omit<NewestConfig, 'isRefreshed'> | undefined>
  /** Stores tokens that replace `configuredToken` with the account that has `given`; false if no account has it. */
  readonly storeWithAccount?: (tokens: ObservedTokens) => Promise<boolean>
}

/**
 * Runs CHECK, then `onChecked`, while no other request can use the same refresh token. Tokens that the bundle obtains
 * are stored, encrypted, before the bundle receives them: for an hour, keyed by the token that the caller sent. A
 * later request with the same token, such as a create after a check, continues with the newest one (decision 025).
 *
 * @throws ApiError `renewal_in_progress`, `secret_required`; as `runCheck`; what `onChecked` throws
 */
export async function checkConfig<T>(
  deps: CheckConfigDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  onChecked: (checked: CheckedConfig) => Promise<T>,
  options: CheckConfigOptions,
): Promise<T> {
  const refreshTokens = findRefreshTokens(prepared.config).slice(0, MAX_TOKENS)
  const getRotationId = (text: string) => rotationId(workspaceId, prepared, text)
  return withTokenLease(deps, workspaceId, refreshTokens.map(getRotationId), async () => {
    const tokenWatch = await startTokenWatch(deps, workspaceId, prepared, options)
    const outcome = await runCheck(deps, tokenWatch.subject).finally(() =>
      tokenWatch.subject.tokens.settled(),
    )
    return onChecked({ outcome, ...tokenWatch })
  })
}

interface TokenWatch extends Omit<CheckedConfig, 'outcome'> {
  readonly subject: PreparedConfig & { readonly tokens: TokenObserver }
}

async function startTokenWatch(
  deps: CheckConfigDeps,
  workspaceId: string,
  prepared: PreparedConfig,
  { sender, fetchInitialTokens, storeWithAccount = async () => false }: CheckConfigOptions,
): Promise<TokenWatch> {
  const rotations = createEncryptedRotations(deps, workspaceId, prepared)
  const stored = await rotations.open()
  for (const tokens of stored) assertMayUseRotation(prepared.config, sender, tokens)
  const bindings = new Map(stored.map(({ configuredToken, binding }) => [configuredToken, binding]))
  /** The token that the caller sent, by the token that replaced it. */
  const originals = new Map(
    stored.map(({ configuredToken, refreshToken }) => [refreshToken, configuredToken]),
  )
  let config = withObservedTokens(prepared.config, stored)
  let isRefreshed = stored.length > 0
  let expiresAt: number | null = null
  const storeTokens = async (tokens: ObservedTokens) => {
    expiresAt = tokens.expiresIn === undefined ? null : deps.now() + tokens.expiresIn * 1_000
    isRefreshed = true
    const originalToken = originals.get(tokens.configuredToken) ?? tokens.configuredToken
    if (await storeWithAccount({ ...tokens, configuredToken: originalToken })) return
    if (tokens.refreshToken === undefined) return
    const binding = createBinding(prepared.config, sender, bindings.get(originalToken))
    await rotations.store(originalToken, tokens, binding)
  }
  const initial = await fetchInitialTokens?.(config)
  if (initial !== undefined) {
    const tokens = fetchedTokens(config, initial.config)
    if (tokens?.refreshToken !== undefined) {
      await storeTokens(tokens)
      originals.set(
        tokens.refreshToken,
        originals.get(tokens.configuredToken) ?? tokens.configuredToken,
      )
    }
    isRefreshed = true
    ;({ config, expiresAt } = initial)
  }
  const tokens = new TokenObserver(config, storeTokens)
  const newest = () => withObservedTokens(config, tokens.tokens)
  return {
    subject: { ...prepared, config, tokens },
    identitySubject: () => ({
      ...prepared,
      tokens,
      config: withAccessTokens(config, tokens.tokens),
    }),
    async newest() {
      await tokens.settled()
      return { config: newest(), isRefreshed, expiresAt }
    },
    deleteStoredTokens: (trx) => rotations.delete(trx),
  }
}

/** Keeps the refresh tokens, so that the observer answers their next use from the first response. */
function withAccessTokens(config: NewestConfig['config'], tokens: readonly ObservedTokens[]) {
  return withObservedTokens(
    config,
    tokens.map((token) => ({ ...token, refreshToken: undefined })),
  )
}

function fetchedTokens(
  before: NewestConfig['config'],
  after: NewestConfig['config'],
): ObservedTokens | undefined {
  const { refresh_token: previousToken } = before
  const { refresh_token: refreshToken, access_token: accessToken } = after
  if (
    typeof previousToken !== 'string' ||
    typeof refreshToken !== 'string' ||
    previousToken === refreshToken
  )
    return undefined
  return {
    configuredToken: previousToken,
    refreshToken,
    accessToken: String(accessToken),
    expiresIn: undefined,
  }
}
