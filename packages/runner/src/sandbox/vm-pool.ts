import type { Image } from './image.ts'
import { type DoorAddresses, Vm } from './vm.ts'

/** The state that every call starts from when its bundle has no image: guest script loaded, nothing else. */
export interface Base {
  readonly image: Image
  readonly bytes: Uint8Array
  readonly doors: DoorAddresses
}

/** A VM with what it needs to start over. */
export interface PooledVm {
  readonly vm: Vm
  readonly base: Base
  readonly memoryMb: number
  /** Images of other VMs fit this one. */
  readonly sharesImages: boolean
}

/**
 * Makes VMs and keeps a few that are at rest.
 *
 * Only the first one runs the guest script; the others take over its memory, when everything lies at the same place.
 */
export class VmPool {
  readonly #guestScript: string
  readonly #first: { base: Base; addresses: string }
  readonly #resting: PooledVm[] = []
  #discarded = 0
  #idle: NodeJS.Timeout | undefined

  static async create(guestScript: string): Promise<VmPool> {
    const vm = await Vm.create(INITIAL_PAGES, pagesOf(64))
    const base = bootedBase(vm, guestScript)
    const pool = new VmPool(guestScript, { base, addresses: vm.addresses })
    pool.#resting.push({ vm, base, memoryMb: 64, sharesImages: true })
    return pool
  }

  private constructor(guestScript: string, first: { base: Base; addresses: string }) {
    this.#guestScript = guestScript
    this.#first = first
  }

  get base(): Base {
    return this.#first.base
  }

  /** A VM with a memory of at least `minBytes` and at most `memoryMb`. */
  async take(memoryMb: number, minBytes: number): Promise<PooledVm> {
    const fits = (each: PooledVm) =>
      each.memoryMb === memoryMb && each.vm.memory.buffer.byteLength >= minBytes
    const at = this.#resting.findLastIndex(fits)
    const [found] = at < 0 ? [] : this.#resting.splice(at, 1)
    return found ?? (await this.#make(memoryMb, minBytes))
  }

  /** Takes a VM back. One that broke or grew is thrown away: WASM memory never shrinks. */
  give(pooled: PooledVm): void {
    const { vm } = pooled
    vm.onPost = undefined
    if (!vm.isBroken && vm.memory.buffer.byteLength <= KEEP_BYTES) this.#resting.push(pooled)
    else this.#discarded++
    this.#shrink(KEEP_RESTING)
    this.#idle ??= setTimeout(() => this.#shrink(KEEP_IDLE), IDLE_MS).unref()
    this.#idle.refresh()
  }

  #shrink(keep: number): void {
    const excess = Math.max(0, this.#resting.length - keep)
    this.#discarded += this.#resting.splice(0, excess).length
    if (this.#discarded < COLLECT_AFTER) return
    this.#discarded = 0
    // V8 hardly sees memory outside its heap, and would let discarded VMs pile up.
    setImmediate(() => globalThis.gc?.())
  }

  async #make(memoryMb: number, minBytes: number): Promise<PooledVm> {
    const maximum = Math.max(INITIAL_PAGES, pagesOf(memoryMb))
    const wanted = Math.max(minBytes, this.base.image.length)
    const initial = Math.min(maximum, Math.max(INITIAL_PAGES, Math.ceil(wanted / 65_536)))
    const vm = await Vm.create(initial, maximum)
    if (vm.addresses === this.#first.addresses) {
      return { vm, base: this.base, memoryMb, sharesImages: true }
    }
    return { vm, base: bootedBase(vm, this.#guestScript), memoryMb, sharesImages: false }
  }
}

/** The guest script and a bundle of 500 KB stay below this. */
const INITIAL_PAGES = pagesOf(16)
const KEEP_BYTES = 24 * 1024 * 1024
/** As many as calls run at the same time; after a quiet while, fewer. */
const KEEP_RESTING = 8
const KEEP_IDLE = 2
const IDLE_MS = 20_000
const COLLECT_AFTER = 4

function pagesOf(megabytes: number): number {
  return Math.floor(megabytes * 16)
}

function bootedBase(vm: Vm, guestScript: string): Base {
  const doors = vm.boot(guestScript)
  const bytes = vm.copy()
  const image = {
    base: bytes,
    parts: [{ start: 0, bytes }],
    length: bytes.length,
    ownBytes: 0,
  }
  return { image, bytes, doors }
}
