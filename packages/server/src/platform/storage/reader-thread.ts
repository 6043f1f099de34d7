import { Worker } from 'node:worker_threads'
import type { ReaderReply } from './reader-worker.ts'
import { StorageError } from './storage-error.ts'

/** Runs reads on a thread with its own read-only connection. */
export interface ReaderThread {
  /** Runs one statement and returns its rows. Buffers are transferred, not copied. */
  query(tenant: string, sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Rejects everything that waits, and resolves when the thread has closed its connection. Later calls reject. */
  close(): Promise<void>
}

export interface ReaderThreadOptions {
  readonly file: string
  /** Whether it checkpoints the log instead of reading. */
  readonly checkpoints?: boolean | undefined
  /** The thread ends after this long without a read. Default: 30,000. */
  readonly idleMs?: number | undefined
  /** Receives each new thread. Set by tests only. */
  readonly onStart?: ((worker: Worker) => void) | undefined
}

interface Task {
  readonly tenant: string
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly resolve: (rows: unknown[]) => void
  readonly reject: (error: unknown) => void
  /** How often a thread ended while it ran this. */
  failures: number
}

/**
 * Statements that take long run here, so that they do not block the event loop. Tenants take turns, statement by
 * statement: those of a busy tenant wait for one another. The thread starts with the first read and ends when idle. If it
 * dies, what it ran is run again, once, by a new one.
 */
export function createReaderThread({
  file,
  checkpoints = false,
  idleMs = IDLE_MS,
  onStart,
}: ReaderThreadOptions): ReaderThread {
  const waiting = createTenantQueue()
  /** What the thread has received and not answered, oldest first. */
  const sent: Task[] = []
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const start = (): Worker => {
    const started = new Worker(new URL('./reader-worker.ts', import.meta.url), {
      workerData: { file, checkpoints },
      env: {},
      execArgv: [],
      resourceLimits: RESOURCE_LIMITS,
    })
    let failure: unknown
    started.on('message', receive)
    started.on('error', (error) => {
      failure = error
    })
    started.once('exit', () => {
      if (worker === started) handleExit(failure)
    })
    onStart?.(started)
    return started
  }

  function receive(reply: ReaderReply): void {
    const task = sent.shift()
    if ('rows' in reply) task?.resolve(reply.rows)
    else task?.reject(toError(reply.error))
    send()
  }

  function handleExit(cause: unknown): void {
    worker = undefined
    for (const task of sent.splice(0)) {
      task.failures += 1
      if (task.failures < MAX_FAILURES && !isClosed) waiting.add(task)
      else
        task.reject(new StorageError('unavailable', 'The thread that reads has ended', { cause }))
    }
    send()
  }

  function send(): void {
    clearTimeout(idleTimer)
    while (sent.length < MAX_SENT) {
      const task = waiting.take()
      if (task === undefined) break
      worker ??= start()
      sent.push(task)
      worker.postMessage({ sql: task.sql, parameters: task.parameters })
    }
    if (sent.length > 0) {
      worker?.ref()
      return
    }
    // An idle thread keeps no process alive.
    worker?.unref()
    idleTimer = setTimeout(() => void stop(), idleMs).unref()
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer)
    const stopped = worker
    worker = undefined
    if (stopped === undefined) return
    const exit = new Promise((resolve) => stopped.once('exit', resolve))
    stopped.ref()
    stopped.postMessage('close')
    await exit
  }

  return {
    query: (tenant, sql, parameters) => {
      if (isClosed) return Promise.reject(createClosedError())
      const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
      waiting.add({ tenant, sql, parameters, resolve, reject, failures: 0 })
      send()
      return promise
    },
    close: async () => {
      isClosed = true
      for (let task = waiting.take(); task !== undefined; task = waiting.take())
        task.reject(createClosedError())
      const pending = sent.splice(0)
      await stop()
      for (const task of pending) task.reject(createClosedError())
    },
  }
}

const IDLE_MS = 30_000
/** Rows are short-lived: with V8's default of 48 MB for new objects, the thread would take twice the memory. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }
/** The thread has the next statement at hand when it has finished one. */
const MAX_SENT = 2
const MAX_FAILURES = 2

/** Tasks in turns of their tenants. */
function createTenantQueue() {
  const tasks = new Map<string, Task[]>()
  return {
    add(task: Task): void {
      const own = tasks.get(task.tenant)
      if (own === undefined) tasks.set(task.tenant, [task])
      else own.push(task)
    },
    take(): Task | undefined {
      const [next] = tasks
      if (next === undefined) return undefined
      const [tenant, own] = next
      const task = own.shift()
      tasks.delete(tenant)
      if (own.length > 0) tasks.set(tenant, own)
      return task
    },
  }
}

function toError({ kind, message }: { kind?: StorageError['kind'] | undefined; message: string }) {
  return kind === undefined ? new Error(message) : new StorageError(kind, message)
}

function createClosedError(): StorageError {
  return new StorageError('unavailable', 'The database is closed')
}
