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
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory'
}

/** A new instance of QuickJS-ng over a memory of its own. The WASM code is compiled once per process. */
export function instantiate(memory: WebAssembly.Memory): Promise<QuickJSWASMModule> {
  compiled ??= new WebAssembly.Module(readFileSync(wasmFile))
  const code = compiled
  return newQuickJSWASMModuleFromVariant({
    type: 'sync',
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => async () => {
      const module = await loadEmscripten({
        wasmMemory: memory,
        instantiateWasm(imports, onSuccess) {
          const instance = new WebAssembly.Instance(code, imports)
          onSuccess(instance)
          return instance.exports
        },
      })
      return withCheckedMalloc(module)
    },
  })
}

let compiled: WebAssembly.Module | undefined
const wasmFile = fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))

// The package's types describe its CommonJS form, in which the default export sits one level deeper.
const loadEmscripten = Reflect.get(
  emscripten,
  'default',
) as unknown as EmscriptenModuleLoader<QuickJSEmscriptenModule>

// The wrapper writes where malloc says, also when it says 0: out of memory.
function withCheckedMalloc(module: QuickJSEmscriptenModule): QuickJSEmscriptenModule {
  const malloc = module._malloc
  module._malloc = (size) => {
    const pointer = malloc(size)
    if (pointer === 0) throw new OutOfMemory('out of memory')
    return pointer
  }
  return module
}
