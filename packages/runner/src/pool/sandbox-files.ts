import { existsSync, realpathSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files of a runner child. It can read no other files. */
export interface SandboxFiles {
  readonly main: string
  /** The script built from `../guest`. */
  readonly guest: string
  /** The memory after the guest script has run; absent where it was not built. */
  readonly baseImage?: string | undefined
  /** Files and folders. */
  readonly readable: readonly string[]
}

/** Resolves the files of this package and of QuickJS, following links. */
export function listSandboxFiles(): SandboxFiles {
  const sandbox = resolveRealPath(new URL('../sandbox/', import.meta.url))
  const guest = resolveRealPath(new URL('../../generated/guest.js', import.meta.url))
  const engine = resolveRealPath(new URL('../../generated/quickjs.wasm', import.meta.url))
  const baseFile = new URL('../../generated/base-image.bin', import.meta.url)
  const baseImage = existsSync(baseFile) ? resolveRealPath(baseFile) : undefined
  const packages = READABLE_PACKAGES.map((name) => findPackageRoot(name))
  const manifest = resolveRealPath(new URL('../../package.json', import.meta.url))
  return {
    // The extension is `.js` in the published package.
    main: join(sandbox, `main${extname(import.meta.url)}`),
    guest,
    baseImage,
    readable: [sandbox, guest, engine, ...(baseImage ? [baseImage] : []), manifest, ...packages],
  }
}

const READABLE_PACKAGES = [
  'quickjs-emscripten-core',
  '@jitl/quickjs-ffi-types',
  '@jitl/quickjs-ng-wasmfile-release-sync/wasm',
]

// All of these packages have their files in `dist`, one level below the package folder.
function findPackageRoot(name: string): string {
  return dirname(dirname(resolveRealPath(import.meta.resolve(name))))
}

function resolveRealPath(url: URL | string): string {
  return realpathSync(fileURLToPath(url))
}
