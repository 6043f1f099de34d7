import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The files of a runner child. It can read no other files. */
export interface SandboxFiles {
  /** The program, bundled from `../sandbox/main.ts`. */
  readonly main: string
  /** The script built from `../guest`. */
  readonly guest: string
  /** The memory after the guest script has run; absent where it was not built. */
  readonly baseImage?: string | undefined
  readonly readable: readonly string[]
}

/** Resolves the generated files of this package, following links. */
export function listSandboxFiles(): SandboxFiles {
  const main = resolveGenerated('sandbox.mjs')
  const guest = resolveGenerated('guest.js')
  const engine = resolveGenerated('quickjs.wasm')
  const baseImage = existsSync(generated('base-image.bin'))
    ? resolveGenerated('base-image.bin')
    : undefined
  const readable = [main, guest, engine, ...(baseImage === undefined ? [] : [baseImage])]
  return { main, guest, baseImage, readable }
}

function resolveGenerated(name: string): string {
  return realpathSync(generated(name))
}

function generated(name: string): string {
  return fileURLToPath(new URL(`../../generated/${name}`, import.meta.url))
}
