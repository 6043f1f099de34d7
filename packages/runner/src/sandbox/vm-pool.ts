import type { BaseImage } from './stored-images.ts'
import { type BindingAddresses, Vm } from './vm.ts'
import { type MemorySnapshot, takeSnapshot, VmMemory } from './vm-memory.ts'

/** The state that a call starts from if its bundle has no image: the guest script is loaded, nothing else. */
export interface BaseState {
  /** As in `BaseImage`. */
  readonly id?: string | undefined
  readonly image: MemorySnapshot
  readonly bytes: Uint8Array
  readonly bindings: BindingAddresses
}

/** A VM with the state that it is reset to. */
export interface PooledVm {
  readonly vm: Vm
  readonly base: BaseState
  readonly memoryMb: number
  /** Whether images of other VMs fit this one. */
  readonly sharesImages: boolean
}

/**
 * Creates VMs and reuses idle ones.
 *
 * Only the first one runs the guest script; the others copy its memory, if all addresses are the same.
 */
export class VmPool {
  readonly #guestScript: string
  readonly #first: { base: BaseState; addresses: string }
  readonly #idleVms: PooledVm[] = []
  #discarded = 0
  #idleTimer: NodeJS.Timeout | undefined

  /** `stored`: an image of the guest script, which need not run then. */
  static async create(guestScript: string, stored?: BaseImage): Promise<VmPool> {
    const vm = await Vm.create(new VmMemory(INITIAL_PAGES, toPages(64)))
    const base =
      stored?.addresses === vm.addresses
        ? { ...toBaseState(stored.bytes, stored.bindings), id: stored.id }
        : bootBaseState(vm, guestScript)
    const pool = new VmPool(guestScript, { base, addresses: vm.addresses })
    pool.#idleVms.push({ vm, base, memoryMb: 64, sharesImages: true })
    return pool
  }

  private constructor(guestScript: string, first: { base: BaseState; addresses: string }) {
    this.#guestScript = guestScript
    this.#first = first
  }

  get base(): BaseState {
    return this.#first.base
  }

  /** The state of its VMs before the first call, to be stored. */
  get image(): BaseImage {
    const { base, addresses } = this.#first
    return { addresses, bindings: base.bindings, bytes: base.bytes }
  }

  /** Returns a VM with at most `memoryMb` of memory, preferably one that is cheap to restore to this image. */
  async acquire(memoryMb: number, image: MemorySnapshot | undefined): Promise<PooledVm> {
    const minBytes = image?.length ?? 0
    const fits = (each: PooledVm) =>
      each.memoryMb === memoryMb && each.vm.memory.byteLength >= minBytes
    const wanted = image ?? this.base.image
    const cheapest = this.#idleVms.findLastIndex(
      (each) => fits(each) && each.vm.memory.isBasedOn(wanted),
    )
    const at = cheapest < 0 ? this.#idleVms.findLastIndex(fits) : cheapest
    const [pooledVm] = at < 0 ? [] : this.#idleVms.splice(at, 1)
    return pooledVm ?? (await this.#make(memoryMb, minBytes))
  }

  /** Returns a VM to the pool. A broken or large one is discarded, because WASM memory never shrinks. */
  release(pooled: PooledVm): void {
    const { vm } = pooled
    vm.onHostCall = undefined
    if (!vm.isBroken && vm.memory.byteLength <= MAX_REUSED_BYTES) {
      vm.memory.rewind()
      this.#idleVms.push(pooled)
    } else this.#discarded++
    this.#shrink(MAX_IDLE_VMS)
    this.#idleTimer ??= setTimeout(() => this.#shrink(MIN_IDLE_VMS), IDLE_TIMEOUT_MS).unref()
    this.#idleTimer.refresh()
  }

  #shrink(maxIdle: number): void {
    const excess = Math.max(0, this.#idleVms.length - maxIdle)
    this.#discarded += this.#idleVms.splice(0, excess).length
    if (this.#discarded < COLLECT_AFTER) return
    this.#discarded = 0
    // V8 does not account for memory outside its heap, and would let discarded VMs accumulate.
    setImmediate(() => globalThis.gc?.())
  }

  async #make(memoryMb: number, minBytes: number): Promise<PooledVm> {
    const maximum = Math.max(INITIAL_PAGES, toPages(memoryMb))
    const neededBytes = Math.max(minBytes, this.base.image.length)
    const initial = Math.min(maximum, Math.max(INITIAL_PAGES, Math.ceil(neededBytes / 65_536)))
    const vm = await Vm.create(new VmMemory(initial, maximum))
    if (vm.addresses === this.#first.addresses) {
      return { vm, base: this.base, memoryMb, sharesImages: true }
    }
    return { vm, base: bootBaseState(vm, this.#guestScript), memoryMb, sharesImages: false }
  }
}

/** Sufficient for the guest script and a bundle of 500 KB. */
const INITIAL_PAGES = toPages(16)
const MAX_REUSED_BYTES = 24 * 1024 * 1024
/** As many as calls run at the same time; fewer after a quiet period. */
const MAX_IDLE_VMS = 8
const MIN_IDLE_VMS = 1
const IDLE_TIMEOUT_MS = 20_000
const COLLECT_AFTER = 4

function toPages(megabytes: number): number {
  return Math.floor(megabytes * 16)
}

function bootBaseState(vm: Vm, guestScript: string): BaseState {
  const bindings = vm.boot(guestScript)
  return toBaseState(vm.memory.copy(), bindings)
}

function toBaseState(bytes: Uint8Array, bindings: BindingAddresses): BaseState {
  return { image: takeSnapshot(bytes, bytes), bytes, bindings }
}
