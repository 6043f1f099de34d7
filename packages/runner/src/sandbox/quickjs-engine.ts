import type { Limits } from '../limits.ts'
import { Lru } from '../lru.ts'
import { type EngineCall, GuestCall, type HostCallbacks } from './guest-call.ts'
import {
  type BaseImage,
  type BundleImage,
  decodeBundleImage,
  encodeBundleImage,
  type ImageBase,
} from './stored-images.ts'
import { type PooledVm, VmPool } from './vm-pool.ts'

/**
 * Runs bundles in QuickJS-ng compiled to WASM.
 *
 * Once a bundle is loaded, and before it receives any credentials, the memory of its VM is stored as an image. Each
 * call starts by restoring it. A bundle that takes random bytes or reads a clock while it loads has to be loaded again
 * in each call, or all calls would share the derived values: its image is taken after it is compiled and before it is
 * loaded.
 */
export class QuickJsEngine {
  readonly #vms: VmPool
  /** An empty object: the bundle has to be compiled again. */
  readonly #bundles = new Lru<CachedBundle>(24, 96 * 1024 * 1024)

  /** `base`: an image of the guest script, which need not run then. */
  static async create(guestScript: string, base?: BaseImage): Promise<QuickJsEngine> {
    return new QuickJsEngine(await VmPool.create(guestScript, base))
  }

  private constructor(vms: VmPool) {
    this.#vms = vms
  }

  /** Starts a call. Every call starts from the same clean state. */
  start(call: EngineCall, callbacks: HostCallbacks): GuestCall {
    const job = new GuestCall(call, callbacks)
    void this.#runJob(job, call).catch((error: unknown) => job.crash(error))
    return job
  }

  /** Stores an image that another process has taken of this bundle, unless it does not fit this engine. */
  addImage(sha256: string, encoded: Uint8Array): void {
    const base = this.#imageBase
    const image = base === undefined ? undefined : decodeBundleImage(encoded, base)
    if (image !== undefined) this.#store(sha256, image)
  }

  /** Takes an image of a bundle for other processes. Undefined: it does not load, or its images fit no other process. */
  async buildImage(code: string, limits: Limits): Promise<Uint8Array | undefined> {
    const base = this.#imageBase
    if (base === undefined) return undefined
    const job = new GuestCall({ command: 'SPEC', params: '{}', limits }, NO_CALLBACKS)
    const pooled = await this.#vms.acquire(limits.memoryMb, undefined)
    const { vm } = pooled
    this.#reset(pooled, undefined)
    try {
      if (!pooled.sharesImages || !job.compile(vm, code)) return undefined
      const compiled = { image: vm.memory.takeImage(base.bytes), bundle: vm.bundle }
      const isLoadedClean = job.load(vm, code)
      if (job.isOver) return undefined
      const loaded = isLoadedClean ? { image: vm.memory.takeImage(base.bytes) } : compiled
      return encodeBundleImage(loaded, base)
    } finally {
      job.cancel()
      this.#vms.release(pooled)
    }
  }

  /** Runs a small bundle, so that V8 has compiled what the first call needs. */
  async warmUp(limits: Limits): Promise<void> {
    const job = new GuestCall({ command: 'RUN', params: '{"n":1}', limits }, NO_CALLBACKS)
    const pooled = await this.#vms.acquire(limits.memoryMb, undefined)
    try {
      this.#reset(pooled, undefined)
      if (job.compile(pooled.vm, WARM_UP) && job.load(pooled.vm, WARM_UP)) job.run(pooled.vm)
      await job.finished
    } finally {
      job.cancel()
      this.#vms.release(pooled)
    }
  }

  get #imageBase(): ImageBase | undefined {
    const { id, bytes } = this.#vms.base
    return id === undefined ? undefined : { id, bytes }
  }

  async #runJob(job: GuestCall, call: EngineCall): Promise<void> {
    const { sha256, limits } = call
    const acceptsImage = this.#imageBase !== undefined && this.#bundles.get(sha256) === undefined
    let code = acceptsImage ? await call.loadCode(true) : undefined
    const cached = this.#bundles.get(sha256)
    const pooled = await this.#vms.acquire(limits.memoryMb, cached?.image)
    try {
      const start = pooled.sharesImages ? cached : undefined
      if (start?.image === undefined) code ??= await call.loadCode(false)
      if (job.isOver) return
      this.#reset(pooled, start)
      if (start?.image === undefined) this.#load(job, pooled, sha256, code ?? '')
      else if (start.bundle !== undefined) job.load(pooled.vm)
      job.run(pooled.vm)
      await job.finished
    } finally {
      this.#vms.release(pooled)
    }
  }

  /** If a bundle is known to have no image after loading, takes one after compiling. */
  #load(job: GuestCall, pooled: PooledVm, sha256: string, code: string): void {
    const { vm, base, sharesImages } = pooled
    const cached = this.#bundles.get(sha256)
    const loadsEachTime = cached !== undefined && cached.image === undefined
    const isCompiledClean = job.compile(vm, code)
    if (loadsEachTime && isCompiledClean && sharesImages)
      this.#store(sha256, { image: vm.memory.takeImage(base.bytes), bundle: vm.bundle })
    const isLoadedClean = job.load(vm, code)
    if (job.isOver || !sharesImages || cached !== undefined) return
    this.#store(sha256, isLoadedClean ? { image: vm.memory.takeImage(base.bytes) } : {})
  }

  #store(sha256: string, cached: CachedBundle): void {
    this.#bundles.set(sha256, cached, cached.image?.ownBytes ?? 0)
  }

  #reset({ vm, base, memoryMb }: PooledVm, start: CachedBundle | undefined): void {
    const bytes = memoryMb * 1024 * 1024
    vm.restore(start?.image ?? base.image, base.bindings, bytes, start?.bundle)
  }
}

type CachedBundle = BundleImage | { readonly image?: undefined; readonly bundle?: undefined }

const WARM_UP = `const url = new URL('https://example.com/a?b=c')
module.exports = async (command, params) => {
  const list = Array.from({ length: 50 }, (_, n) => ({ n, text: String(n + params.n) }))
  const texts = list.map(({ n, text }) => text.replace(/\\d/g, '-') + n).sort()
  await Promise.resolve()
  return { href: url.href, texts: JSON.parse(JSON.stringify(texts)), map: [...new Map([[1, list]])].length }
}`

const NO_CALLBACKS: HostCallbacks = {
  request() {},
  abort() {},
  onComputeStart() {},
  onComputeEnd() {},
}
