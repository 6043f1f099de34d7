import {
  type JSValueConstPointer,
  type JSValuePointer,
  Lifetime,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import { guarded } from './guard.ts'
import type { GuestEvent } from './guest-event.ts'
import { copyMemory, type Image, restoreImage, takeImage } from './image.ts'
import type { Meter } from './meter.ts'
import { thrownText } from './read-guest.ts'
import { type OnPost, receivePost } from './receive-post.ts'
import { crashOf, expiryOf, GuestTrouble, type Trouble } from './trouble.ts'
import { instantiate } from './wasm.ts'

/** Where the guest's doors are in linear memory. */
export interface DoorAddresses {
  readonly load: number
  readonly run: number
  readonly event: number
}

/** One QuickJS with a linear memory that cannot outgrow its maximum. Holds no bundle until told so. */
export class Vm {
  readonly memory: WebAssembly.Memory
  readonly #maximumPages: number
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #post: QuickJSHandle
  #doors: DoorAddresses = { load: 0, run: 0, event: 0 }
  #meter: Meter | undefined
  #broken = false
  #hasReadClock = false
  #bundle = 0
  onPost: OnPost | undefined

  /** A VM without a guest script. `maximumPages` counts pages of 64 KiB. */
  static async create(initialPages: number, maximumPages: number): Promise<Vm> {
    const memory = new WebAssembly.Memory({ initial: initialPages, maximum: maximumPages })
    const clock: { onRead?: () => void } = {}
    const quickjs = await instantiate(memory, () => clock.onRead?.())
    const vm = new Vm(memory, maximumPages, quickjs.newRuntime())
    clock.onRead = () => {
      vm.#hasReadClock = true
    }
    return vm
  }

  private constructor(memory: WebAssembly.Memory, maximumPages: number, runtime: QuickJSRuntime) {
    this.memory = memory
    this.#maximumPages = maximumPages
    this.#runtime = runtime
    // With more than this, V8's own stack overflows before QuickJS notices, and the VM is lost.
    runtime.setMaxStackSize(256 * 1024)
    runtime.setInterruptHandler(() => this.#meter?.isExpired() ?? false)
    this.#context = runtime.newContext()
    this.#post = this.#context.newFunction('post', (...args) =>
      receivePost(this.#context, this.onPost, args),
    )
  }

  /** An exception went through WASM: its stack is no longer what it was. Not to be used again. */
  get isBroken(): boolean {
    return this.#broken
  }

  /** Whether the guest has read a clock since the memory was restored. */
  get hasReadClock(): boolean {
    return this.#hasReadClock
  }

  /** Where the compiled bundle is in linear memory; 0 before `compile`. */
  get bundle(): number {
    return this.#bundle
  }

  /** Most of the memory is taken: then QuickJS may fail to say that none is left. */
  get isCrowded(): boolean {
    return this.memory.buffer.byteLength > 0.75 * this.#maximumPages * 65_536
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer)
  }

  /** Where this VM keeps what the host holds on to. Images fit only VMs that agree in this. */
  get addresses(): string {
    const own = [Reflect.get(this.#runtime, 'rt'), Reflect.get(this.#context, 'ctx'), this.#post]
    return own.map((lifetime) => (lifetime instanceof Lifetime ? lifetime.value : '?')).join(' ')
  }

  /** Runs the guest script and takes its doors away. @throws Error when the script is broken */
  boot(guestScript: string): DoorAddresses {
    const context = this.#context
    this.#unwrap(context.evalCode(guestScript, 'guest.js', { type: 'global' })).dispose()
    const take = '(() => { const doors = __doors; delete globalThis.__doors; return doors })()'
    const doors = this.#unwrap(context.evalCode(take, 'doors.js', { type: 'global' }))
    const boot = context.getProp(doors, 'boot')
    this.#unwrap(context.callFunction(boot, context.undefined, this.#post))
    this.#runtime.executePendingJobs()
    this.#doors = {
      load: context.getProp(doors, 'load').value,
      run: context.getProp(doors, 'run').value,
      event: context.getProp(doors, 'event').value,
    }
    return this.#doors
  }

  /** Takes over the memory of a VM with the same addresses. `bundle` is where a compiled bundle is in it. */
  restore(image: Image, doors: DoorAddresses, memoryLimit: number, bundle = 0): void {
    this.#doors = doors
    this.#bundle = bundle
    this.#hasReadClock = false
    restoreImage(this.bytes, image)
    // The limit of the VM that the image is of came with it.
    this.#runtime.setMemoryLimit(memoryLimit)
  }

  copy(): Uint8Array {
    return copyMemory(this.bytes)
  }

  takeImage(base: Uint8Array): Image {
    return takeImage(this.bytes, base)
  }

  /** Compiles the bundle, for `load`. @returns why it cannot go on, if so */
  compile(meter: Meter, code: string): Trouble | undefined {
    // Node takes a first line for the shell; inside a function it would not compile.
    const body = code.startsWith('#!') ? `//${code}` : code
    const source = `(function (exports, require, module, __filename, __dirname) {${body}\n})`
    return this.#enter(meter, (context) => {
      this.#bundle = this.#unwrap(context.evalCode(source, 'bundle.js', { type: 'global' })).value
    })
  }

  /** Runs the compiled bundle's own code, up to its exports. @returns why it cannot go on, if so */
  load(meter: Meter): Trouble | undefined {
    return this.#enter(meter, () => this.#open('load', [this.#handle(this.#bundle)]))
  }

  run(meter: Meter, command: string, params: string, seed: string): Trouble | undefined {
    return this.#enter(meter, (context) => {
      this.#open(
        'run',
        [command, params, seed].map((text) => context.newString(text)),
      )
    })
  }

  /** Hands events to the guest, one after the other. */
  events(meter: Meter, events: readonly GuestEvent[]): Trouble | undefined {
    return this.#enter(meter, (context) => {
      for (const { kind, id, json, bytes } of events) {
        const args = [context.newString(kind), context.newNumber(id)]
        args.push(json === undefined ? context.undefined : context.newString(json))
        args.push(bytes === undefined ? context.undefined : context.newArrayBuffer(bytes))
        this.#open('event', args)
        for (const arg of args) arg.dispose()
      }
    })
  }

  #open(door: keyof DoorAddresses, args: QuickJSHandle[]): void {
    const context = this.#context
    const handle = this.#handle(this.#doors[door])
    this.#unwrap(context.callFunction(handle, context.undefined, args)).dispose()
  }

  /** A handle for a value that stays where it is. */
  #handle(address: number): QuickJSHandle {
    return new Lifetime<JSValueConstPointer, JSValuePointer, QuickJSRuntime>(
      address as JSValueConstPointer,
      undefined,
      undefined,
      this.#runtime,
    )
  }

  #enter(meter: Meter, step: (context: QuickJSContext) => void): Trouble | undefined {
    this.#meter = meter
    meter.start()
    try {
      return guarded(meter.forceAfterMs(), () => this.#compute(meter, step))
    } catch (error) {
      this.#broken = true
      return crashOf(error, meter)
    } finally {
      meter.stop()
      this.#meter = undefined
    }
  }

  // One step, and then everything that it left in the queue of promises.
  #compute(meter: Meter, step: (context: QuickJSContext) => void): Trouble | undefined {
    try {
      step(this.#context)
      for (;;) {
        const jobs = this.#runtime.executePendingJobs(200)
        if (jobs.error !== undefined) this.#unwrapJob(jobs.error)
        if (meter.isExpired()) return expiryOf(meter)
        if (jobs.error === undefined && jobs.value === 0) return undefined
      }
    } catch (error) {
      if (!(error instanceof GuestTrouble)) throw error
      return meter.isExpired() ? expiryOf(meter) : error.trouble
    }
  }

  #unwrap(result: GuestResult): QuickJSHandle {
    if (result.error === undefined) return result.value
    throw new GuestTrouble(thrownText(this.#context, result.error))
  }

  // What a promise job throws concerns nobody, as in Node when nobody listens; running out of memory does.
  #unwrapJob(error: QuickJSHandle): void {
    const trouble = new GuestTrouble(thrownText(this.#context, error))
    if (trouble.trouble.reason === 'memory') throw trouble
  }
}

type GuestResult =
  | { error?: undefined; value: QuickJSHandle }
  | { error: QuickJSHandle; value?: undefined }
