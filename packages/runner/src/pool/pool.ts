import { RunnerError } from '../runner-error.ts'
import type { RunnerOptions, RunnerStats } from '../runner-types.ts'
import { BackOff } from './back-off.ts'
import type { Call } from './call.ts'
import { Child, type ChildEvents } from './child.ts'
import { Confinement } from './confinement.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'
import { WaitingLine } from './waiting-line.ts'

/** Keeps runner children alive and gives each call to the least busy one. */
export class Pool {
  readonly #size: number
  readonly #options: RunnerOptions
  readonly #files: SandboxFiles
  readonly #children = new Set<Child>()
  readonly #line = new WaitingLine(MAX_WAITING, MAX_WAIT_MS)
  readonly #backOff = new BackOff(Date.now)
  readonly #confinement = new Confinement(Date.now)
  readonly #up = Promise.withResolvers<void>()
  readonly #spawning = new Set<Promise<void>>()
  #restarts = 0
  #hasToldBox = false
  #isClosed = false

  constructor(size: number, options: RunnerOptions, files: SandboxFiles) {
    this.#size = size
    this.#options = options
    this.#files = files
    this.#up.promise.catch(() => {})
    // One first: the others would only slow it down.
    this.#add(0)
  }

  ready(): Promise<void> {
    return this.#up.promise
  }

  /** Starts a call, or lets it wait. */
  run(call: Call): void {
    if (this.#isClosed) {
      call.fail(closed())
    } else {
      this.#line.join(call)
      this.#dispatch()
    }
  }

  stats(): RunnerStats {
    const children = [...this.#children]
    const running = children.reduce((sum, child) => sum + child.running, 0)
    const waiting = this.#line.length
    return { children: children.length, running, waiting, restarts: this.#restarts }
  }

  /** Ends all calls and all children. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#up.reject(closed())
    for (const call of this.#line.clear()) call.fail(closed())
    for (const child of this.#children) child.kill()
    await Promise.all(this.#spawning)
    await Promise.all([...this.#children].map((child) => child.exited))
  }

  readonly #events: ChildEvents = {
    ready: () => {
      this.#up.resolve()
      this.#fill(0)
      this.#dispatch()
    },
    ended: (call, isHarmful) => this.#confinement.ended(call.culprit, isHarmful),
    room: (child) => {
      this.#retire(child)
      this.#dispatch()
    },
    gone: (child, others) => this.#gone(child, others),
    warn: (message, detail) => this.#options.log?.('warn', message, detail),
  }

  readonly #mayStart = ({ culprit }: Call): boolean => this.#confinement.mayStart(culprit)

  #dispatch(): void {
    for (;;) {
      const child = this.#leastBusy()
      const call = child && this.#line.next(this.#mayStart)
      if (call === undefined) return
      this.#confinement.started(call.culprit)
      child?.start(call)
    }
  }

  #leastBusy(): Child | undefined {
    let best: Child | undefined
    for (const child of this.#children) {
      if (!child.isReady || child.isDraining || child.running >= CALLS_PER_CHILD) continue
      if (best === undefined || child.running < best.running) best = child
    }
    return best
  }

  #fill(delayMs: number): void {
    const alive = [...this.#children].filter((child) => !child.isDraining).length
    for (let missing = this.#size - alive - this.#spawning.size; missing > 0; missing--) {
      this.#add(delayMs)
    }
  }

  #add(delayMs: number): void {
    const spawned = this.#spawn(delayMs)
      .catch((error: unknown) => {
        this.#events.warn('a runner child could not be started', { error: String(error) })
        if (!this.#isClosed) setTimeout(() => this.#fill(0), RETRY_MS).unref()
      })
      .finally(() => this.#spawning.delete(spawned))
    this.#spawning.add(spawned)
  }

  async #spawn(delayMs: number): Promise<void> {
    await this.#pause(delayMs)
    if (this.#isClosed) return
    const { process, isBoxed, isFiltered } = await spawnChild(this.#files)
    const { gate, startMs = START_MS } = this.#options
    const child = new Child(process, gate, this.#events, startMs)
    this.#children.add(child)
    this.#tellBox(isBoxed, isFiltered)
    this.#options.log?.('debug', 'started a runner child', { pid: child.pid })
    if (this.#isClosed) child.kill()
  }

  #tellBox(isBoxed: boolean, isFiltered: boolean): void {
    if (this.#hasToldBox) return
    this.#hasToldBox = true
    if (isBoxed) this.#options.log?.('debug', 'runner children run inside bubblewrap')
    else
      this.#options.log?.('info', 'bubblewrap does not work here: runner children run without it')
    if (isBoxed && !isFiltered)
      this.#options.log?.(
        'info',
        'seccomp does not work here: runner children run without a filter',
      )
  }

  async #pause(ms: number): Promise<void> {
    const end = Date.now() + ms
    while (!this.#isClosed && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(50, end - Date.now())))
    }
  }

  // Replaces a child that has served long or holds much memory, once its calls are done.
  #retire(child: Child): void {
    const { served, rss, pid } = child
    if (!child.isDraining && (served >= MAX_SERVED || rss > MAX_RSS)) {
      child.isDraining = true
      this.#options.log?.('debug', 'replacing a runner child', { pid, served, rss })
      this.#fill(0)
    }
    if (child.isDraining && child.running === 0) child.kill()
  }

  #gone(child: Child, others: readonly Call[]): void {
    const wasRetired = child.served >= MAX_SERVED || child.rss > MAX_RSS
    this.#children.delete(child)
    for (const call of others) {
      if (this.#isClosed) call.fail(closed())
      else if (call.attempts > 1 || call.hasSideEffects) call.crashed()
      else this.#line.join(call)
    }
    if (this.#isClosed) return
    this.#restarts++
    if (!wasRetired) this.#events.warn('a runner child was lost', { pid: child.pid })
    this.#fill(wasRetired ? 0 : this.#backOff.lost())
    this.#dispatch()
  }
}

/** A call that waits holds about 23 MB in its child. */
const CALLS_PER_CHILD = 8
const MAX_WAITING = 200
const MAX_WAIT_MS = 15_000
const RETRY_MS = 1_000
const START_MS = 60_000
const MAX_SERVED = 5_000
const MAX_RSS = 768 * 1024 * 1024

function closed(): RunnerError {
  return new RunnerError('overloaded', 'The service is stopping.')
}
