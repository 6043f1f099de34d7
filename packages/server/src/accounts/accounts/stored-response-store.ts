import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/http/log.ts'
import type { ObserveJob } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type AccountId, RESPONSE_SCHEMA } from './account.ts'
import { PUBLIC_ACCOUNT_COLUMNS, storeResponses } from './account-row-store.ts'

/** Some accounts in the order of their ids, and those of them without a response of this schema or a later one. */
export interface ResponseGaps {
  readonly missingIds: readonly AccountId[]
  /** The id of the last account; undefined after the last one. */
  readonly lastId: AccountId | undefined
}

/** Stores responses that are missing because an older version wrote the accounts. Runs on behalf of no caller. */
export function createStoredResponseStore(database: Database) {
  return {
    /** Reads `limit` accounts after this id. */
    async findGaps(afterId: AccountId, limit: number): Promise<ResponseGaps> {
      const rows = await database.read
        .selectFrom('accounts')
        .select(['account_id', 'response_schema', 'search_text', 'deleted_at'])
        .where('account_id', '>', afterId)
        .orderBy('account_id')
        .limit(limit)
        .execute()
      const missing = rows.filter(
        ({ response_schema: schema, search_text: text, deleted_at: deletedAt }) =>
          (schema ?? 0) < RESPONSE_SCHEMA ||
          (schema === RESPONSE_SCHEMA && text === null && deletedAt === null),
      )
      return {
        missingIds: missing.map((row) => row.account_id),
        lastId: rows.length < limit ? undefined : rows.at(-1)?.account_id,
      }
    },

    /**
     * Stores the responses of those accounts that still have none. Skips those that another transaction is writing,
     * which stores the response itself.
     */
    fill: (accountIds: readonly AccountId[]): Promise<void> =>
      database.transaction(async (trx) => {
        const query = trx
          .selectFrom('accounts')
          .select(PUBLIC_ACCOUNT_COLUMNS)
          .where('account_id', 'in', accountIds)
          .where((eb) =>
            eb.or([
              eb('response_schema', 'is', null),
              eb('response_schema', '<', RESPONSE_SCHEMA),
              // The response of a later version stays.
              eb.and([eb('search_text', 'is', null), eb('response_schema', '=', RESPONSE_SCHEMA)]),
            ]),
          )
        const isPostgres = database.dialect === 'postgres'
        const rows = await (isPostgres ? query.forNoKeyUpdate().skipLocked() : query).execute()
        await storeResponses(trx, rows)
      }),
  }
}

type StoredResponseStore = ReturnType<typeof createStoredResponseStore>

/** What the fill uses. */
export interface FillResponsesDeps {
  readonly storedResponses: StoredResponseStore
  readonly log: Log
}

/** How fast the fill runs. */
export interface FillResponsesOptions {
  readonly startDelayMs?: number
  /** The shortest pause between two batches. */
  readonly pauseMs?: number
  /** How many times as long as a batch the pause after it is. */
  readonly pauseFactor?: number
  readonly repeatMs?: number
  /** Measures the batches. */
  readonly observeJob?: ObserveJob
}

/** A job that runs until it is stopped. */
export interface FillResponsesJob {
  /** Resolves when the batch in progress has completed. */
  stop(): Promise<void>
}

/**
 * Stores the responses of accounts that have none, because a version before them wrote the account: they are read slowly
 * until then. Walks through all accounts in small batches, uses at most a tenth of the main thread, and starts again after
 * a day, since nodes of the previous version may still write. Safe on several nodes.
 */
export function startFillingResponses(
  deps: FillResponsesDeps,
  options: FillResponsesOptions = {},
): FillResponsesJob {
  const { startDelayMs = 30_000, pauseMs = 50, pauseFactor = 9, repeatMs = DAY_MS } = options
  const { observeJob = (_name, run) => run } = options
  const stopping = new AbortController()
  const wait = (ms: number) =>
    sleep(ms, true, { signal: stopping.signal, ref: false }).catch(() => false)
  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }

  async function run(): Promise<void> {
    if (!(await wait(startDelayMs))) return
    let afterId = BEFORE_ALL
    const fill = observeJob('fill_responses', () => fillNext(afterId))
    while (!stopping.signal.aborted) {
      try {
        const next = await fill()
        afterId = next ?? BEFORE_ALL
        if (next === undefined && !(await wait(repeatMs))) return
      } catch (error) {
        deps.log.warn({ err: error }, 'the responses of accounts could not be stored')
        await wait(RETRY_MS)
      }
    }
  }

  /** Returns the id of the last account of the batch; undefined at the end. */
  async function fillNext(afterId: AccountId): Promise<AccountId | undefined> {
    const { missingIds, lastId } = await rest(() =>
      deps.storedResponses.findGaps(afterId, READ_BATCH),
    )
    for (let at = 0; at < missingIds.length && !stopping.signal.aborted; at += WRITE_BATCH)
      await rest(() => deps.storedResponses.fill(missingIds.slice(at, at + WRITE_BATCH)))
    return lastId
  }

  async function rest<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const result = await work()
    await wait(Math.max(pauseMs, (performance.now() - startedAt) * pauseFactor))
    return result
  }
}

const BEFORE_ALL: AccountId = 'acc_'
const READ_BATCH = 500
/** A transaction of a few milliseconds on SQLite. */
const WRITE_BATCH = 25
const RETRY_MS = 60_000
const DAY_MS = 24 * 3_600_000
