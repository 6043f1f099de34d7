import {
  type JSValueConstPointer,
  type JSValuePointer,
  Lifetime,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core'
import {
  formatThrownValue,
  type GuestEvent,
  type HostCallHandler,
  handleHostCall,
  isOutOfMemoryMessage,
} from './host-bindings.ts'
import type { FailureReason } from './messages.ts'
import type { Meter } from './meter.ts'
import type { MemorySnapshot, VmMemory } from './vm-memory.ts'
import { instantiate, OutOfMemoryError } from './wasm.ts'

/** Addresses of the guest's functions in linear memory. */
export interface BindingAddresses {
  readonly load: number
  readonly run: number
  readonly event: number
}

/** One QuickJS instance with a limited linear memory. Contains no bundle until one is compiled or restored. */
export class Vm {
  readonly memory: VmMemory
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #hostCallFunction: QuickJSHandle
  #bindings: BindingAddresses = { load: 0, run: 0, event: 0 }
  readonly #steps: MeteredExecutor
  #hasReadClock = false
  #bundle = 0
  onHostCall: HostCallHandler | undefined

  /** Creates a VM without a guest script, in a memory that is new. */
  static async create(memory: VmMemory): Promise<Vm> {
    let vm: Vm | undefined
    const quickjs = await instantiate({
      memory: memory.linear,
      writtenPages: memory.writtenPages,
      onClockRead() {
        if (vm !== undefined) vm.#hasReadClock = true
      },
      refuel: () => (vm === undefined ? FUEL : vm.#steps.refuel()),
    })
    vm = new Vm(memory, quickjs.newRuntime())
    return vm
  }

  private constructor(memory: VmMemory, runtime: QuickJSRuntime) {
    this.memory = memory
    this.#runtime = runtime
    // With a larger stack, V8's own stack overflows before QuickJS notices, and the VM is lost.
    runtime.setMaxStackSize(256 * 1024)
    this.#context = runtime.newContext()
    this.#steps = new MeteredExecutor(runtime, this.#context)
    this.#hostCallFunction = this.#context.newFunction('post', (...args) =>
      handleHostCall(
        this.#context,
        this.onHostCall,
        (readsClock) => this.#steps.mustStop(readsClock),
        args,
      ),
    )
  }

  /** True once an exception passed through WASM: its stack is inconsistent, and the VM must not be used again. */
  get isBroken(): boolean {
    return this.#steps.isBroken
  }

  /** Whether the guest has read a clock since the memory was restored. */
  get hasReadClock(): boolean {
    return this.#hasReadClock
  }

  /** Address of the compiled bundle in linear memory; 0 before `compile`. */
  get bundle(): number {
    return this.#bundle
  }

  /** Addresses of the objects that the host references. Images fit only VMs with equal addresses. */
  get addresses(): string {
    const lifetimes = [
      Reflect.get(this.#runtime, 'rt'),
      Reflect.get(this.#context, 'ctx'),
      this.#hostCallFunction,
    ]
    return lifetimes
      .map((lifetime) => (lifetime instanceof Lifetime ? lifetime.value : '?'))
      .join(' ')
  }

  /** Runs the guest script and removes its functions from the global object. @throws Error when the script is broken */
  boot(guestScript: string): BindingAddresses {
    const context = this.#context
    this.#steps.unwrap(context.evalCode(guestScript, 'guest.js', { type: 'global' })).dispose()
    const takeBindings =
      '(() => { const bindings = __bindings; delete globalThis.__bindings; return bindings })()'
    const bindings = this.#steps.unwrap(
      context.evalCode(takeBindings, 'bindings.js', { type: 'global' }),
    )
    const boot = context.getProp(bindings, 'boot')
    this.#steps.unwrap(context.callFunction(boot, context.undefined, this.#hostCallFunction))
    this.#runtime.executePendingJobs()
    this.#bindings = {
      load: context.getProp(bindings, 'load').value,
      run: context.getProp(bindings, 'run').value,
      event: context.getProp(bindings, 'event').value,
    }
    return this.#bindings
  }

  /** Restores the memory of a VM with the same addresses. `bundle` is the address of a compiled bundle in it. */
  restore(
    image: MemorySnapshot,
    bindings: BindingAddresses,
    memoryLimit: number,
    bundle = 0,
  ): void {
    this.#bindings = bindings
    this.#bundle = bundle
    this.#hasReadClock = false
    this.memory.restore(image)
    // The image contains the limit of the VM that it was taken from.
    this.#runtime.setMemoryLimit(memoryLimit)
  }

  /** Compiles the bundle, for `load`. @returns the failure, if there is one */
  compile(meter: Meter, code: string): GuestFailure | undefined {
    // Node accepts a hashbang line; inside a function it would not compile.
    const body = code.startsWith('#!') ? `//${code}` : code
    // The file name is written to the stack by JavaScript, which nothing marks.
    this.memory.forgetImage()
    const source = `(function (exports, require, module, __filename, __dirname) {${body}\n})`
    return this.#steps.run(meter, () => {
      this.#bundle = this.#steps.unwrap(
        this.#context.evalCode(source, 'bundle.js', { type: 'global' }),
      ).value
    })
  }

  /** Runs the compiled bundle's top-level code, up to its exports. @returns the failure, if there is one */
  load(meter: Meter): GuestFailure | undefined {
    return this.#steps.run(meter, () => this.#callBinding('load', [this.#handle(this.#bundle)]))
  }

  run(meter: Meter, command: string, params: string): GuestFailure | undefined {
    return this.#steps.run(meter, () => {
      this.#callBinding(
        'run',
        [command, params].map((text) => this.#context.newString(text)),
      )
    })
  }

  /** Dispatches events to the guest, one after the other. */
  events(meter: Meter, events: readonly GuestEvent[]): GuestFailure | undefined {
    const context = this.#context
    return this.#steps.run(meter, () => {
      for (const { kind, id, json, bytes } of events) {
        const args = [context.newString(kind), context.newNumber(id)]
        args.push(json === undefined ? context.undefined : context.newString(json))
        args.push(bytes === undefined ? context.undefined : context.newArrayBuffer(bytes))
        this.#callBinding('event', args)
        for (const arg of args) arg.dispose()
      }
    })
  }

  #callBinding(binding: keyof BindingAddresses, args: QuickJSHandle[]): void {
    const context = this.#context
    const handle = this.#handle(this.#bindings[binding])
    this.#steps.unwrap(context.callFunction(handle, context.undefined, args)).dispose()
  }

  /** A handle for a value that is not freed. */
  #handle(address: number): QuickJSHandle {
    return new Lifetime<JSValueConstPointer, JSValuePointer, QuickJSRuntime>(
      address as JSValueConstPointer,
      undefined,
      undefined,
      this.#runtime,
    )
  }
}

/** Runs steps of a guest under the limits of a meter, each with the promise jobs that it queues. */
class MeteredExecutor {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  #meter: Meter | undefined
  #broken = false
  /** A monotonic time in milliseconds. */
  #forcedStopAt = Number.POSITIVE_INFINITY

  constructor(runtime: QuickJSRuntime, context: QuickJSContext) {
    this.#runtime = runtime
    this.#context = context
    runtime.setInterruptHandler(() => this.mustStop(true))
  }

  /** True once an exception passed through WASM: its stack is inconsistent. */
  get isBroken(): boolean {
    return this.#broken
  }

  /** Whether the running step was stopped, or, if the clock is read, has used up its time. */
  mustStop(readsClock: boolean): boolean {
    if (this.#meter === undefined) return false
    return readsClock ? this.#meter.isExpired() : this.#meter.stopReason !== undefined
  }

  /**
   * More fuel for the engine.
   *
   * QuickJS calls its interrupt handler between operations of the guest, but a few of its own loops never do
   * (`Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`).
   *
   * @throws ForcedStopError when the guest computes for too long; after that the WASM instance must not be used again
   */
  refuel(): number {
    const now = performance.now()
    if (now < this.#forcedStopAt) return FUEL
    this.#forcedStopAt = this.#meter?.forcedStopAt() ?? now
    if (now < this.#forcedStopAt) return FUEL
    // Finds the reason.
    this.#meter?.isExpired()
    // A host call that catches the error must not hide it.
    this.#broken = true
    throw new ForcedStopError()
  }

  /** @returns the failure, if there is one */
  run(meter: Meter, step: () => void): GuestFailure | undefined {
    this.#meter = meter
    meter.start()
    this.#forcedStopAt = meter.forcedStopAt()
    try {
      return this.#runStep(meter, step)
    } catch (error) {
      this.#broken = true
      return createCrashFailure(error, meter)
    } finally {
      meter.stop()
      this.#meter = undefined
      this.#forcedStopAt = Number.POSITIVE_INFINITY
    }
  }

  /** The value of a result. @throws GuestFailureError when the guest threw */
  unwrap(result: GuestResult): QuickJSHandle {
    if (result.error === undefined) return result.value
    throw new GuestFailureError(formatThrownValue(this.#context, result.error))
  }

  // One step, followed by all promise jobs that it queued.
  #runStep(meter: Meter, step: () => void): GuestFailure | undefined {
    try {
      step()
      for (;;) {
        const jobs = this.#runtime.executePendingJobs(200)
        if (jobs.error !== undefined) this.#unwrapJob(jobs.error)
        if (meter.isExpired()) return createExpiryFailure(meter)
        if (jobs.error === undefined && jobs.value === 0) return undefined
      }
    } catch (error) {
      if (!(error instanceof GuestFailureError)) throw error
      return meter.isExpired() ? createExpiryFailure(meter) : error.failure
    }
  }

  // Errors of promise jobs are ignored, like unhandled rejections with a listener in Node, except for out of memory.
  #unwrapJob(error: QuickJSHandle): void {
    const failure = new GuestFailureError(formatThrownValue(this.#context, error))
    if (failure.failure.reason === 'memory') throw failure
  }
}

/** Rounds of loops until the time is checked again: about a tenth of a millisecond. */
const FUEL = 50_000

type GuestResult =
  | { error?: undefined; value: QuickJSHandle }
  | { error: QuickJSHandle; value?: undefined }

/** The guest was stopped inside the engine. The WASM instance must not be used again. */
class ForcedStopError extends Error {
  override readonly name = 'ForcedStopError'
}

/** Why the guest cannot continue. `bundle-error`: it threw `message`; the step it threw in decides who caused it. */
export interface GuestFailure {
  readonly reason: FailureReason | 'bundle-error'
  readonly message: string
}

/** Carries a failure out of a step of the guest. The WASM instance is still usable. */
class GuestFailureError extends Error {
  readonly failure: GuestFailure

  constructor(message: string) {
    super(message)
    this.failure = { reason: isOutOfMemoryMessage(message) ? 'memory' : 'bundle-error', message }
  }
}

/** Maps an expired meter to a failure. */
function createExpiryFailure(meter: Meter): GuestFailure {
  return { reason: meter.stopReason ?? meter.limit, message: '' }
}

/** Maps an exception that passed through WASM to a failure. */
function createCrashFailure(error: unknown, meter: Meter): GuestFailure {
  if (error instanceof ForcedStopError || meter.stopReason !== undefined)
    return createExpiryFailure(meter)
  if (error instanceof RangeError) return { reason: 'depth', message: '' }
  if (error instanceof OutOfMemoryError || error instanceof WebAssembly.RuntimeError) {
    return { reason: 'memory', message: '' }
  }
  return { reason: 'bundle-error', message: 'the engine failed' }
}
