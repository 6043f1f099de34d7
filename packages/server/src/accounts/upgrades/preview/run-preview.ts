import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
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
import type { CursorPosition } from '../../../platform/http/pagination.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Account, AccountId } from '../../accounts/account.ts'
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
import type { DefinitionPreview, PreviewAccounts } from '../schemas.ts'
import type { PreviewStore } from './preview-store.ts'

export interface RunPreviewDeps extends VersionCheckDeps {
  readonly database: Database
  readonly previews: PreviewStore
  readonly log: Log
}

/** A running preview. */
export interface PreviewRun {
  readonly preview: DefinitionPreview
  readonly before: Definition
  readonly after: Definition
  readonly signal: AbortSignal
}

/** A preview without an update for this time counts as abandoned, in milliseconds. */
export const HEARTBEAT_TIMEOUT_MS = 15_000

const CONCURRENCY = 3
const SAVE_INTERVAL_MS = 2_000
/** Further accounts are not checked, to bound the duration. */
const MAX_ACCOUNTS = 2_000
const PAGE_SIZE = 1_000
const MAX_BROKEN = 100

/**
 * Checks the accounts, a few at a time, and saves progress every two seconds and at the end. If `signal` aborts it before
 * all accounts are checked, the state is `interrupted`.
 */
export async function runPreview(deps: RunPreviewDeps, run: PreviewRun): Promise<void> {
  const { preview, before, signal } = run
  const { ids, count } = await listAccounts(deps, before)
  preview.accounts.total = preview.accounts.pending = count
  const queue = ids.values()
  let finalState: DefinitionPreview['state'] = 'interrupted'
  const worker = async () => {
    for (const id of queue) {
      const account = await deps.previews.account(before.workspaceId, id)
      const result = account && (await checkAccount(deps, run, account))
      if (result !== undefined) recordResult(preview.accounts, id, result)
      if (signal.aborted) return
    }
    finalState = 'finished'
  }
  const periodicSave = startPeriodicSave(deps, preview)
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  } finally {
    await periodicSave.stop()
    preview.state = finalState
    await save(deps, preview)
  }
}

/** The accounts to check, and the number of all accounts. Reads pages, between which other work gets its turn. */
async function listAccounts(
  { previews }: RunPreviewDeps,
  definition: Definition,
): Promise<{ readonly ids: readonly AccountId[]; readonly count: number }> {
  const ids: AccountId[] = []
  let count = 0
  let last: CursorPosition<AccountId> | undefined
  do {
    const page = await previews.listAccounts(definition, PAGE_SIZE, last)
    count += page.length
    if (ids.length < MAX_ACCOUNTS) ids.push(...page.map(({ id }) => id))
    last = page[PAGE_SIZE - 1]
    await setImmediate()
  } while (last !== undefined)
  return { ids, count }
}

/** Also a heartbeat while a single check takes long, so that other nodes know that the preview is running. */
function startPeriodicSave(deps: RunPreviewDeps, preview: DefinitionPreview) {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }

  async function run(): Promise<void> {
    for (;;) {
      await sleep(SAVE_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await save(deps, preview).catch((error) =>
        deps.log.warn({ err: error, previewId: preview.previewId }, 'a preview could not be saved'),
      )
    }
  }
}

async function checkAccount(
  deps: RunPreviewDeps,
  { before, after }: PreviewRun,
  account: Parameters<typeof checkAccountAgainstVersion>[1],
): Promise<VersionCheckResult> {
  try {
    return await checkAccountAgainstVersion(deps, account, before, after)
  } catch (error) {
    deps.log.warn({ err: error, accountId: account.accountId }, 'an account could not be checked')
    return { outcome: 'unreachable' }
  }
}

function recordResult(
  accounts: PreviewAccounts,
  integrationAccountId: AccountId,
  result: VersionCheckResult,
): void {
  if (result.outcome === 'skipped') return
  accounts.pending -= 1
  accounts.checked += 1
  accounts[result.outcome] += 1
  if (result.outcome === 'wouldBreak' && accounts.broken.length < MAX_BROKEN)
    accounts.broken.push({ integrationAccountId, code: result.code, error: result.error })
}

async function save(deps: RunPreviewDeps, preview: DefinitionPreview): Promise<void> {
  const aliveUntil = deps.now() + HEARTBEAT_TIMEOUT_MS
  await deps.database.transaction((trx) => deps.previews.update(trx, preview, aliveUntil))
}

interface VersionCheckDeps extends RunCheckDeps, PrepareConfigDeps {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly log: Log
  readonly now: () => number
}

/** The result of checking one account. */
type VersionCheckResult =
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
async function checkAccountAgainstVersion(
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
