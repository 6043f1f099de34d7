import type { BaseImage } from './base-image.ts'
import type { Engine, EngineCall, HostCallbacks, RunningCall } from './engine.ts'
import { GuestCall } from './guest-call.ts'
import { Lru } from './lru.ts'
import type { MemorySnapshot } from './memory-snapshot.ts'
import { type PooledVm, VmPool } from './vm-pool.ts'

/** What is known about a bundle that was loaded before. */
interface CachedBundle {
  /** Undefined: the bundle has to be compiled again. */
  readonly image?: MemorySnapshot
  /** Address of the bundle in an image in which it is compiled but not loaded. */
  readonly bundle?: number
}

/**
 * Runs bundles in QuickJS-ng compiled to WASM.
 *
 * Once a bundle is loaded, and before it receives any credentials, the memory of its VM is stored as an image. Each
 * call starts by restoring it. A bundle that takes random bytes or reads a clock while it loads has to be loaded again
 * in each call, or all calls would share the derived values: its image is taken after it is compiled and before it is
 * loaded.
 */
export class QuickJsEngine implements Engine {
  readonly #vms: VmPool
  readonly #bundles = new Lru<CachedBundle>(24, 96 * 1024 * 1024)

  /** `base`: an image of the guest script, which need not run then. */
  static async create(guestScript: string, base?: BaseImage): Promise<QuickJsEngine> {
    return new QuickJsEngine(await VmPool.create(guestScript, base))
  }

  private constructor(vms: VmPool) {
    this.#vms = vms
  }

  start(call: EngineCall, callbacks: HostCallbacks): RunningCall {
    const job = new GuestCall(call, callbacks)
    void this.#runJob(job, call).catch((error: unknown) => job.crash(error))
    return job
  }

  async #runJob(job: GuestCall, call: EngineCall): Promise<void> {
    const cached = this.#bundles.get(call.sha256)
    const pooled = await this.#vms.acquire(call.limits.memoryMb, cached?.image)
    try {
      const start = pooled.sharesImages ? cached : undefined
      const code = start?.image === undefined ? await call.loadCode() : undefined
      if (job.isOver) return
      this.#reset(pooled, start)
      if (code !== undefined) this.#load(job, pooled, call.sha256, code)
      else if (start?.bundle !== undefined) job.load(pooled.vm)
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
