import { StorageError } from './storage-error.ts'

interface Waiting<K, R> {
  readonly key: K
  readonly resolve: (row: R | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Reads rows by their keys: those of one key, or the first row of each of several. */
export interface KeyReader<K, R> {
  one(key: K): Promise<R | undefined>
  /** In the order of the keys. */
  many(keys: readonly K[]): Promise<readonly (R | undefined)[]>
}

/**
 * Reads the rows of all keys that callers request in one iteration of the event loop at once: under load, a statement for many
 * keys costs hardly more than one for a single key. A read always starts after its request, so it sees everything that was
 * committed before. While a batch runs, further keys wait, so that batches grow with the load; if it is slow, they do not.
 */
export function createKeyBatch<K, R>(reader: KeyReader<K, R>): (key: K) => Promise<R | undefined> {
  let waiting: Waiting<K, R>[] = []
  let isScheduled = false
  let runningCount = 0
  let slowTimer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    if (runningCount > 0) {
      slowTimer ??= setTimeout(startDespiteSlowBatch, SLOW_MS)
      return
    }
    isScheduled = true
    setImmediate(start)
  }

  function startDespiteSlowBatch(): void {
    slowTimer = undefined
    if (!isScheduled && waiting.length > 0) start()
  }

  function start(): void {
    isScheduled = false
    clearTimeout(slowTimer)
    slowTimer = undefined
    const batch = waiting.slice(0, MAX_KEYS)
    waiting = waiting.slice(MAX_KEYS)
    runningCount += 1
    void run(batch)
    schedule()
  }

  async function run(batch: readonly Waiting<K, R>[]): Promise<void> {
    await (batch.length === 1 ? readEach(reader, batch) : readTogether(reader, batch))
    runningCount -= 1
    schedule()
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<R | undefined>()
    waiting.push({ key, resolve, reject })
    schedule()
    return promise
  }
}

/** Keys wait for a running batch at most this long. */
const SLOW_MS = 10
const MAX_KEYS = 200

async function readTogether<K, R>(
  reader: KeyReader<K, R>,
  batch: readonly Waiting<K, R>[],
): Promise<void> {
  try {
    const rows = await reader.many(batch.map(({ key }) => key))
    for (const [index, { resolve }] of batch.entries()) resolve(rows[index])
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'unavailable')
      for (const { reject } of batch) reject(error)
    // A key that PostgreSQL does not accept must fail alone.
    else await readEach(reader, batch)
  }
}

async function readEach<K, R>(
  reader: KeyReader<K, R>,
  batch: readonly Waiting<K, R>[],
): Promise<void> {
  for (const { key, resolve, reject } of batch) await reader.one(key).then(resolve, reject)
}
