import { RunnerError } from '@linchpin/runner'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import {
  guardSecret,
  type SecretGuard,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
import { loadOAuthClient } from '../../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/http/log.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Account } from '../../accounts/account.ts'
import {
  decryptConfig,
  type PrepareConfigDeps,
  prepareConfig,
} from '../../accounts/credentials/account-config.ts'
import { getConfigString } from '../../accounts/token-refresh/grant.ts'
import {
  isUnreachable,
  type RunCheckDeps,
  runCheck,
} from '../../accounts/verification/run-check.ts'

export interface VersionCheckDeps extends RunCheckDeps, PrepareConfigDeps {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly log: Log
  readonly now: () => number
}

/** The result of checking one account. */
export type VersionCheckResult =
  | { readonly outcome: 'ok' | 'unreachable' | 'alreadyBroken' | 'skipped' }
  | { readonly outcome: 'wouldBreak'; readonly code: string; readonly error: string }

type VersionCheckFailure = Exclude<
  VersionCheckResult,
  { outcome: 'ok' | 'skipped' | 'alreadyBroken' }
>

/**
 * Runs CHECK of another version with the stored credentials of an account. Refreshes and stores nothing: the bundle gets
 * no refresh token, and accounts that are inactive or have an expired access token are skipped. An account that fails
 * with both versions is not attributed to the new one.
 */
export async function checkAccountAgainstVersion(
  deps: VersionCheckDeps,
  account: Account,
  before: Definition,
  after: Definition,
): Promise<VersionCheckResult> {
  const credentials = await loadUsableConfig(deps, account)
  if (credentials === undefined) return { outcome: 'skipped' }
  const failure = await checkVersion(deps, account, after, credentials)
  if (failure === undefined) return { outcome: 'ok' }
  if (failure.outcome === 'unreachable') return failure
  const currentFailure = await checkVersion(deps, account, before, credentials)
  if (currentFailure === undefined) return failure
  return { outcome: currentFailure.outcome === 'unreachable' ? 'unreachable' : 'alreadyBroken' }
}

interface UsableConfig {
  readonly config: Record<string, unknown>
  readonly secret: SecretGuard | undefined
}

async function loadUsableConfig(
  deps: VersionCheckDeps,
  account: Account,
): Promise<UsableConfig | undefined> {
  const { sealedConfig: sealed, oauthAppId: appId, tokenExpiresAt } = account
  if (sealed === null || account.status !== 'active') return undefined
  if (tokenExpiresAt !== null && tokenExpiresAt <= deps.now()) return undefined
  const config = await decryptConfig(deps.vault, account, sealed)
  const isRotating = getConfigString(config, 'refresh_token') !== undefined
  if (isRotating && getConfigString(config, 'access_token') === undefined) return undefined
  const { read } = deps.database
  const app =
    appId === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(read, account.workspaceId, appId)
  const client = app && (await loadOAuthClient(deps, app))
  return { config: withClientCredentials(config, client), secret: guardSecret(client) }
}

async function checkVersion(
  deps: VersionCheckDeps,
  account: Account,
  definition: Definition,
  { config, secret }: UsableConfig,
): Promise<VersionCheckFailure | undefined> {
  try {
    const preparedConfig = await prepareConfig(deps, definition, account.authType, config, {
      workspaceId: account.workspaceId,
      linkId: account.linkId,
    })
    const { refresh_token: _refreshToken, ...visibleConfig } = preparedConfig.config
    const { result: checkResult, lastExchange } = await runCheck(deps, {
      ...preparedConfig,
      config: visibleConfig,
      secret,
    })
    if (checkResult.status) return undefined
    if (checkResult.retryable || isUnreachable(lastExchange)) return { outcome: 'unreachable' }
    return {
      outcome: 'wouldBreak',
      code: checkResult.code ?? 'credentials_rejected',
      error: checkResult.error,
    }
  } catch (error) {
    return toFailure(error)
  }
}

function toFailure(error: unknown): VersionCheckFailure {
  if (error instanceof RunnerError) {
    if (error.code === 'overloaded') return { outcome: 'unreachable' }
    return { outcome: 'wouldBreak', code: 'integration_failed', error: 'The integration failed.' }
  }
  if (!(error instanceof ApiError)) throw error
  if (UNREACHABLE_CODES.has(error.code)) return { outcome: 'unreachable' }
  return { outcome: 'wouldBreak', code: error.code, error: error.message }
}

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'egress_unavailable',
  'provider_error',
  'provider_timeout',
])
