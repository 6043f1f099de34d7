import { RunnerError } from '@linchpin/runner'
import { isUnreachable, type RunCheckDeps, runCheck } from '../../account/check/run-check.ts'
import type { JudgeConfig } from '../../account/config/judge-config.ts'
import { prepareConfig } from '../../account/config/prepare-config.ts'
import { openConfig } from '../../account/config/sealed-config.ts'
import { configText, withClient } from '../../account/renewal/grant/open-grant.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../http/log.ts'
import { guardSecret, type SecretGuard } from '../../oauth/token/secret-guard.ts'
import type { OAuthAppStore } from '../../oauth-app/oauth-app-store.ts'
import { openClient } from '../../oauth-app/oauth-client.ts'
import type { Database } from '../../storage/database.ts'
import type { AccountRow, DefinitionRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'

export interface TryAccountDeps extends RunCheckDeps {
  readonly database: Database
  readonly vault: Vault
  readonly judgeConfig: JudgeConfig
  readonly oauthApps: OAuthAppStore
  readonly log: Log
  readonly now: () => number
}

/** What became of an account that was tried. */
export type Trial =
  | { readonly is: 'ok' | 'unreachable' | 'alreadyBroken' | 'untried' }
  | { readonly is: 'wouldBreak'; readonly code: string; readonly error: string }

type Failure = Exclude<Trial, { is: 'ok' | 'untried' | 'alreadyBroken' }>

/**
 * Runs CHECK of another version with what is stored of an account. Nothing is renewed and nothing is stored: the bundle
 * gets no refresh token, and an account whose access token has ended, or that is not active, is not tried. One that works with
 * neither version is not this version's fault.
 */
export async function tryAccount(
  deps: TryAccountDeps,
  account: AccountRow,
  before: DefinitionRow,
  after: DefinitionRow,
): Promise<Trial> {
  const usable = await usableConfig(deps, account)
  if (usable === undefined) return { is: 'untried' }
  const failure = await failureOf(deps, account, after, usable)
  if (failure === undefined) return { is: 'ok' }
  if (failure.is === 'unreachable') return failure
  const present = await failureOf(deps, account, before, usable)
  if (present === undefined) return failure
  return { is: present.is === 'unreachable' ? 'unreachable' : 'alreadyBroken' }
}

interface UsableConfig {
  readonly config: Record<string, unknown>
  readonly secret: SecretGuard | undefined
}

async function usableConfig(
  deps: TryAccountDeps,
  account: AccountRow,
): Promise<UsableConfig | undefined> {
  const { sealed_config: sealed, oauth_app_id: appId, token_expires_at: endsAt } = account
  if (sealed === null || account.status !== 'active') return undefined
  if (endsAt !== null && endsAt <= deps.now()) return undefined
  const config = await openConfig(deps.vault, account, sealed)
  const isRotating = configText(config, 'refresh_token') !== undefined
  if (isRotating && configText(config, 'access_token') === undefined) return undefined
  const { read } = deps.database
  const app =
    appId === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(read, account.workspace_id, appId)
  const client = app && (await openClient(deps, app))
  return { config: withClient(config, client), secret: guardSecret(client) }
}

async function failureOf(
  deps: TryAccountDeps,
  account: AccountRow,
  definition: DefinitionRow,
  { config, secret }: UsableConfig,
): Promise<Failure | undefined> {
  try {
    const prepared = await prepareConfig(deps.judgeConfig, definition, account.auth_type, config, {
      workspaceId: account.workspace_id,
      linkId: account.link_id,
    })
    const { refresh_token: _kept, ...shown } = prepared.config
    const { answer, lastExchange } = await runCheck(deps, {
      ...prepared,
      config: shown,
      secret,
    })
    if (answer.status) return undefined
    if (answer.retryable || isUnreachable(lastExchange)) return { is: 'unreachable' }
    return { is: 'wouldBreak', code: answer.code ?? 'credentials_rejected', error: answer.error }
  } catch (error) {
    return failureBy(error)
  }
}

function failureBy(error: unknown): Failure {
  if (error instanceof RunnerError) {
    if (error.code === 'overloaded') return { is: 'unreachable' }
    return { is: 'wouldBreak', code: 'integration_failed', error: 'The integration failed.' }
  }
  if (!(error instanceof ApiError)) throw error
  if (error.code === 'provider_error' || error.code === 'provider_timeout')
    return { is: 'unreachable' }
  return { is: 'wouldBreak', code: error.code, error: error.message }
}
