import { readFileSync } from 'node:fs'
import * as emscripten from '@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-ng-wasmfile-release-sync/ffi'
import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  type QuickJSEmscriptenModule,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { WrittenPages } from './vm-memory.ts'

/** QuickJS ran out of its linear memory while the host wrote into it. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError'
}

/** What an instance of the engine uses of its owner. */
export interface InstanceHooks {
  readonly memory: WebAssembly.Memory
  readonly writtenPages: WrittenPages
  /** Called each time QuickJS reads a clock. */
  onClockRead(): void
  /** Called when the engine has used up its fuel. Returns more, or throws to stop the engine. */
  refuel(): number
}

/**
 * Creates an instance of QuickJS-ng, instrumented (`../../instrument`), with its own memory. The WASM code is compiled
 * once per process.
 */
export function instantiate(hooks: InstanceHooks): Promise<QuickJSWASMModule> {
  compiled ??= new WebAssembly.Module(readEngine())
  const code = compiled
  const { memory, writtenPages } = hooks
  return newQuickJSWASMModuleFromVariant({
    type: 'sync',
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => async () => {
      const module = await loadEmscripten({
        wasmMemory: memory,
        // It is part of the memory, whose layout must be the same in every process.
        ...{ thisProgram: 'quickjs' },
        instantiateWasm(imports, onSuccess) {
          const instance = new WebAssembly.Instance(code, {
            ...observeImports(imports, hooks),
            linchpin: { pages: writtenPages.memory, refuel: () => hooks.refuel() },
          })
          onSuccess(instance)
          return instance.exports
        },
      })
      return observeMalloc(module, writtenPages)
    },
  })
}

/** The code of the instrumented engine. */
export function readEngine(): Uint8Array {
  return readFileSync(wasmFile)
}

/**
 * The functions that QuickJS imports are written in JavaScript, so their writes are not instrumented: they write at
 * most 64 bytes to an address that they are given.
 *
 * Those that read a clock are identified by their source text: the names of imports are single letters that change with
 * each build of the package.
 */
function observeImports(
  imports: WebAssembly.Imports,
  { writtenPages, onClockRead }: InstanceHooks,
): WebAssembly.Imports {
  let clocks = 0
  const observed = (value: unknown) => {
    if (typeof value !== 'function') return value
    const isClock = READS_CLOCK.test(String(value))
    if (isClock) clocks++
    return (...args: unknown[]) => {
      if (isClock) onClockRead()
      for (const arg of args)
        if (typeof arg === 'number') writtenPages.mark(arg, IMPORT_WRITE_BYTES)
      return value(...args)
    }
  }
  const all = Object.entries(imports).map(([module, members]) => [
    module,
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, observed(value)])),
  ])
  // The realtime clock and the monotonic one.
  if (clocks < 2) throw new Error('this build of QuickJS reads its clocks in an unknown way')
  return Object.fromEntries(all)
}

const READS_CLOCK = /Date\.now\(\)|performance\.now\(\)/
const IMPORT_WRITE_BYTES = 64

let compiled: WebAssembly.Module | undefined
const wasmFile = new URL('../../generated/quickjs.wasm', import.meta.url)

// The package's types describe its CommonJS form, in which the default export is one level deeper.
const loadEmscripten = Reflect.get(
  emscripten,
  'default',
) as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>

// The wrapper writes its arguments to the address that malloc returns, even if it is 0: out of memory.
function observeMalloc(
  module: QuickJSEmscriptenModule,
  writtenPages: WrittenPages,
): QuickJSEmscriptenModule {
  const malloc = module._malloc
  module._malloc = (size) => {
    const pointer = malloc(size)
    if (pointer === 0) throw new OutOfMemoryError('out of memory')
    writtenPages.mark(pointer, size)
    return pointer
  }
  return module
}
