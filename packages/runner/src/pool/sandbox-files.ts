import { realpathSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files of a runner child. It can read no other files. */
export interface SandboxFiles {
  readonly main: string
  /** The script built from `../guest`. */
  readonly guest: string
  /** Files and folders. */
  readonly readable: readonly string[]
}

/** Resolves the files of this package and of QuickJS, following links. */
export function sandboxFiles(): SandboxFiles {
  const sandbox = realPath(new URL('../sandbox/', import.meta.url))
  const guest = realPath(new URL('../../generated/guest.js', import.meta.url))
  const packages = READABLE_PACKAGES.map((name) => packageRoot(name))
  const manifest = realPath(new URL('../../package.json', import.meta.url))
  return {
    // `.js` in the published package.
    main: join(sandbox, `main${extname(import.meta.url)}`),
    guest,
    readable: [sandbox, guest, manifest, ...packages],
  }
}

const READABLE_PACKAGES = [
  'quickjs-emscripten-core',
  '@jitl/quickjs-ffi-types',
  '@jitl/quickjs-ng-wasmfile-release-sync/wasm',
]

// All of these packages have their files in `dist`, one level below the package folder.
function packageRoot(name: string): string {
  return dirname(dirname(realPath(import.meta.resolve(name))))
}

function realPath(url: URL | string): string {
  return realpathSync(fileURLToPath(url))
}
