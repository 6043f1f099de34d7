import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type BundleImageStore,
  ImageFolder,
  type ImageFolderOptions,
} from '../images/image-store.ts'

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

/** Opens the folder with the images of this version of the sandbox. `key` authenticates them, and has no other use. */
export function openImageFolder(
  options: Omit<ImageFolderOptions, 'sandboxVersion'>,
): BundleImageStore {
  return new ImageFolder({ ...options, sandboxVersion: hashSandbox(listSandboxFiles()) })
}

/** The program of the children, and the first line of the base image, which names its script, engine and memory. */
function hashSandbox({ main, baseImage }: SandboxFiles): string {
  const hash = createHash('sha256').update(readFileSync(main))
  if (baseImage !== undefined) hash.update(readFirstLine(baseImage))
  return hash.digest('hex')
}

function readFirstLine(file: string): Uint8Array {
  const start = Buffer.alloc(MAX_LINE_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    const length = readSync(descriptor, start)
    return start.subarray(0, start.subarray(0, length).indexOf('\n') + 1)
  } finally {
    closeSync(descriptor)
  }
}

const MAX_LINE_BYTES = 64 * 1024
