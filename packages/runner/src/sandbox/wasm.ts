import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as emscripten from '@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-ng-wasmfile-release-sync/ffi'
import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  type QuickJSEmscriptenModule,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'

/** QuickJS ran out of its linear memory while the host wrote into it. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError'
}

/**
 * Creates an instance of QuickJS-ng with its own memory. The WASM code is compiled once per process. `onClockRead` is
 * called each time QuickJS reads a clock.
 */
export function instantiate(
  memory: WebAssembly.Memory,
  onClockRead: () => void,
): Promise<QuickJSWASMModule> {
  compiled ??= new WebAssembly.Module(readFileSync(wasmFile))
  const code = compiled
  return newQuickJSWASMModuleFromVariant({
    type: 'sync',
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => async () => {
      const module = await loadEmscripten({
        wasmMemory: memory,
        instantiateWasm(imports, onSuccess) {
          const instance = new WebAssembly.Instance(code, withWatchedClocks(imports, onClockRead))
          onSuccess(instance)
          return instance.exports
        },
      })
      return withCheckedMalloc(module)
    },
  })
}

/**
 * The functions by which QuickJS reads a clock are identified by their source text: the names of imports are single
 * letters that change with each build of the package.
 */
function withWatchedClocks(
  imports: WebAssembly.Imports,
  onClockRead: () => void,
): WebAssembly.Imports {
  let count = 0
  const watched = (value: unknown) => {
    if (typeof value !== 'function' || !READS_CLOCK.test(String(value))) return value
    count++
    return (...args: unknown[]) => {
      onClockRead()
      return value(...args)
    }
  }
  const all = Object.entries(imports).map(([module, members]) => [
    module,
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, watched(value)])),
  ])
  // The realtime clock and the monotonic one.
  if (count < 2) throw new Error('this build of QuickJS reads its clocks in an unknown way')
  return Object.fromEntries(all)
}

const READS_CLOCK = /Date\.now\(\)|performance\.now\(\)/

let compiled: WebAssembly.Module | undefined
const wasmFile = fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))

// The package's types describe its CommonJS form, in which the default export is one level deeper.
const loadEmscripten = Reflect.get(
  emscripten,
  'default',
) as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>

// The wrapper writes to the address that malloc returns, even if it is 0: out of memory.
function withCheckedMalloc(module: QuickJSEmscriptenModule): QuickJSEmscriptenModule {
  const malloc = module._malloc
  module._malloc = (size) => {
    const pointer = malloc(size)
    if (pointer === 0) throw new OutOfMemoryError('out of memory')
    return pointer
  }
  return module
}
