/** The parts of WebAssembly that the sandbox uses. TypeScript declares them only together with the globals of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: Exports
  }
  class RuntimeError extends Error {}
  type Imports = Record<string, Record<string, unknown>>
  type Exports = Record<string, unknown>
}
