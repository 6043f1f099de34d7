import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../http/log.ts'
import type { Database } from '../../storage/database.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import type { DefinitionPreview, PreviewAccounts } from './preview-answer.ts'
import type { PreviewStore } from './preview-store.ts'
import { type Trial, type TryAccountDeps, tryAccount } from './try-account.ts'

export interface RunPreviewDeps extends TryAccountDeps {
  readonly database: Database
  readonly previews: PreviewStore
  readonly log: Log
}

/** A preview that is being worked on. */
export interface PreviewRun {
  readonly answer: DefinitionPreview
  readonly before: DefinitionRow
  readonly after: DefinitionRow
  readonly signal: AbortSignal
}

/** How long after its last word somebody is believed to work on it, in milliseconds. */
export const ALIVE_MS = 15_000

const AT_ONCE = 3
const SAVE_EVERY_MS = 2_000
/** Beyond these nobody waits for the answer: what is left stays untried. */
const MOST_ACCOUNTS = 2_000
const MOST_BROKEN = 100

/**
 * Tries the accounts, a few at a time, and stores what it knows every two seconds and at the end. Ended by `signal` it is
 * `interrupted`, when accounts are left.
 */
export async function runPreview(deps: RunPreviewDeps, run: PreviewRun): Promise<void> {
  const { answer, before, signal } = run
  const ids = await deps.previews.accountIds(before)
  answer.accounts.total = answer.accounts.pending = ids.length
  const queue = ids.slice(0, MOST_ACCOUNTS).values()
  let ended: DefinitionPreview['state'] = 'interrupted'
  const work = async () => {
    for (const id of queue) {
      const account = await deps.previews.account(before.workspace_id, id)
      const trial = account && (await tried(deps, run, account))
      if (trial !== undefined) count(answer.accounts, id, trial)
      if (signal.aborted) return
    }
    ended = 'finished'
  }
  const saving = saveRegularly(deps, answer)
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    await saving.stop()
    answer.state = ended
    await save(deps, answer)
  }
}

/** Also while single trials take long: others tell by it that somebody works on it. */
function saveRegularly(deps: RunPreviewDeps, answer: DefinitionPreview) {
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
      await sleep(SAVE_EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await save(deps, answer).catch((error) =>
        deps.log.warn({ err: error, previewId: answer.previewId }, 'a preview could not be stored'),
      )
    }
  }
}

async function tried(
  deps: RunPreviewDeps,
  { before, after }: PreviewRun,
  account: Parameters<typeof tryAccount>[1],
): Promise<Trial> {
  try {
    return await tryAccount(deps, account, before, after)
  } catch (error) {
    deps.log.warn({ err: error, accountId: account.account_id }, 'an account could not be tried')
    return { is: 'unreachable' }
  }
}

function count(accounts: PreviewAccounts, integrationAccountId: string, trial: Trial): void {
  if (trial.is === 'untried') return
  accounts.pending -= 1
  accounts.checked += 1
  accounts[trial.is] += 1
  if (trial.is === 'wouldBreak' && accounts.broken.length < MOST_BROKEN)
    accounts.broken.push({ integrationAccountId, code: trial.code, error: trial.error })
}

async function save(deps: RunPreviewDeps, answer: DefinitionPreview): Promise<void> {
  const change = {
    state: answer.state,
    result: JSON.stringify(answer),
    alive_until: deps.now() + ALIVE_MS,
  }
  await deps.database.transaction((trx) => deps.previews.update(trx, answer.previewId, change))
}
