import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { Log } from '../../../platform/http/log.ts'
import type { CursorPosition } from '../../../platform/http/pagination.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { AccountId } from '../../accounts/account.ts'
import type { DefinitionPreview, PreviewAccounts } from '../schemas.ts'
import {
  checkAccountAgainstVersion,
  type VersionCheckDeps,
  type VersionCheckResult,
} from './check-account-against-version.ts'
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
