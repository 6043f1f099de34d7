import { setTimeout as sleep } from 'node:timers/promises'
import type { BundleImageStore } from '../images/image-store.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { Bundle } from '../runner.ts'
import type { ChildMessage, HostMessage } from '../sandbox/messages.ts'
import { RunnerProcess } from './child-channel.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import { spawnChild } from './spawn-child.ts'

/** Provides children with images of bundles, and builds the missing ones in the background, one at a time. */
export class BundleImages {
  readonly #files: SandboxFiles
  readonly #nice: number
  readonly #store: BundleImageStore | undefined
  readonly #missing = new Map<string, string>()
  /** Bundles that have no image, or one that is being built. */
  readonly #excluded = new Set<string>()
  readonly #closing = new AbortController()
  #building: Promise<void> | undefined

  /** Without a store there are no images. `nice`: the priority of the processes that build them. */
  constructor(files: SandboxFiles, store: BundleImageStore | undefined, nice = LOW_PRIORITY) {
    this.#files = files
    this.#nice = nice
    this.#store = files.baseImage === undefined ? undefined : store
  }

  /**
   * The message with the code of a bundle, or with an image of it. `isBuilt`: a missing image is built, for the next
   * child. Rejects with the error of the bundle's `load`.
   */
  async load(
    bundle: Bundle,
    { acceptsImage, isBuilt }: { readonly acceptsImage: boolean; readonly isBuilt: boolean },
  ): Promise<HostMessage> {
    const { sha256 } = bundle
    const isExcluded = !acceptsImage || this.#excluded.has(sha256)
    const image = isExcluded ? undefined : await this.#store?.read(sha256)
    if (image !== undefined) return { type: 'image', sha256, body: image }
    const code = await bundle.load()
    if (!isExcluded && isBuilt) this.#request(sha256, code)
    return { type: 'code', sha256, code }
  }

  /** Resolves when no process is left. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#missing.clear()
    await this.#building
  }

  #request(sha256: string, code: string): void {
    if (this.#store === undefined || this.#closing.signal.aborted) return
    if (this.#missing.size >= MAX_QUEUED) return
    this.#missing.set(sha256, code)
    this.#building ??= this.#buildAll(this.#store).finally(() => {
      this.#building = undefined
    })
  }

  async #buildAll(store: BundleImageStore): Promise<void> {
    const { signal } = this.#closing
    const options = { files: this.#files, nice: this.#nice, signal }
    let pauseMs = DELAY_MS
    for (;;) {
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
      const [next] = this.#missing
      if (next === undefined || signal.aborted) return
      const [sha256, code] = next
      this.#missing.delete(sha256)
      this.#exclude(sha256)
      const startedAt = performance.now()
      const image = await buildBundleImage(code, options).catch(() => undefined)
      if (image !== undefined) {
        await store.write(sha256, image)
        this.#excluded.delete(sha256)
      }
      // The builds of one tenant's bundles take at most a fifth of a core, at a low priority.
      pauseMs = 4 * (performance.now() - startedAt)
    }
  }

  #exclude(sha256: string): void {
    this.#excluded.add(sha256)
    const [oldest] = this.#excluded
    if (this.#excluded.size > MAX_EXCLUDED && oldest !== undefined) this.#excluded.delete(oldest)
  }
}

const LOW_PRIORITY = 10
/** Calls come first: the child that needed the code runs them now. */
const DELAY_MS = 2_000
const MAX_QUEUED = 16
const MAX_EXCLUDED = 1_000

/**
 * Takes an image of a bundle in a process of its own.
 *
 * The process has run no other code and receives no parameters, so a bundle that takes control of it can change its own
 * image only, and the image contains nothing of a tenant. Images that children take while they run calls are never
 * passed on.
 *
 * @returns undefined if the bundle has no image, or the signal was aborted
 */
async function buildBundleImage(
  code: string,
  { files, nice, signal }: BuildOptions,
): Promise<Uint8Array | undefined> {
  const { process } = await spawnChild(files, nice)
  let image: Uint8Array | undefined
  const child: RunnerProcess = new RunnerProcess(
    process,
    {
      message(message: ChildMessage) {
        if (message.type === 'ready') child.send({ type: 'build', code, limits: LIMITS })
        if (message.type === 'ready' || message.type === 'idle') return
        if (message.type === 'image') image = message.body
        child.kill()
      },
      protocolError: () => child.kill(),
      startTimedOut: () => child.kill(),
      exited() {},
    },
    TIMEOUT_MS,
  )
  const kill = () => child.kill()
  const timeout = setTimeout(kill, TIMEOUT_MS).unref()
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  child.unref()
  await child.exited
  clearTimeout(timeout)
  signal.removeEventListener('abort', kill)
  return image
}

interface BuildOptions {
  readonly files: SandboxFiles
  /** The priority of the process, as of nice(1). */
  readonly nice: number
  /** Ends the process. */
  readonly signal: AbortSignal
}

/** Low priority: on a busy machine it may wait for long. */
const TIMEOUT_MS = 180_000
const LIMITS: Limits = { ...DEFAULT_LIMITS, wallMs: TIMEOUT_MS }
