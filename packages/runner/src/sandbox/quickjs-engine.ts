import type { Engine, EngineCall, Outlets, RunningCall } from './engine.ts'
import type { Image } from './image.ts'
import { Job } from './job.ts'
import { Lru } from './lru.ts'
import { type PooledVm, VmPool } from './vm-pool.ts'

/**
 * Runs bundles in QuickJS-ng compiled to WASM (`design.md` section 6.1).
 *
 * Once a bundle is loaded, and before any credential is there, the memory of its VM is kept as an image. Each call
 * starts by restoring it.
 */
export class QuickJsEngine implements Engine {
  readonly #vms: VmPool
  readonly #images = new Lru<Image>(24, 96 * 1024 * 1024)

  static async create(guestScript: string): Promise<QuickJsEngine> {
    return new QuickJsEngine(await VmPool.create(guestScript))
  }

  private constructor(vms: VmPool) {
    this.#vms = vms
  }

  start(call: EngineCall, outlets: Outlets): RunningCall {
    const job = new Job(call, outlets)
    void this.#drive(job, call).catch((error: unknown) => job.crash(error))
    return job
  }

  async #drive(job: Job, call: EngineCall): Promise<void> {
    const known = this.#images.get(call.sha256)
    const pooled = await this.#vms.take(call.limits.memoryMb, known?.length ?? 0)
    try {
      const image = pooled.sharesImages ? known : undefined
      const code = image === undefined ? await call.code() : undefined
      if (job.isOver) return
      this.#reset(pooled, image)
      if (code !== undefined && job.load(pooled.vm, code)) this.#keepImage(pooled, call.sha256)
      job.run(pooled.vm)
      await job.finished
    } finally {
      this.#vms.give(pooled)
    }
  }

  #reset({ vm, base, memoryMb }: PooledVm, image: Image | undefined): void {
    vm.restore(image ?? base.image, base.doors, memoryMb * 1024 * 1024)
  }

  #keepImage({ vm, base, sharesImages }: PooledVm, sha256: string): void {
    if (!sharesImages) return
    const image = vm.takeImage(base.bytes)
    this.#images.set(sha256, image, image.ownBytes)
  }
}
