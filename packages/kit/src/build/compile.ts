import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as esbuild } from 'esbuild'

/** The code of an integration that also reports keys which the kit does not know. @throws Error like {@link build} */
export async function compileStrictly(file: string): Promise<string> {
  const { bytes } = await compile(file, EXPORT_MAIN, STRICT_KIT)
  return new TextDecoder().decode(bytes)
}

/**
 * Compiles a file to CommonJS; `exports` is the statement that exports its default export, `main`.
 *
 * @throws Error with file and line when the sources do not compile, or when there is no such file
 */
export async function compile(file: string, exports: string, kit = KIT): Promise<Compiled> {
  const path = resolve(file)
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile()) throw new Error(`${file} ${stats ? 'is not a file' : 'does not exist'}.`)
  const folder = dirname(path)
  const { outputFiles, metafile } = await esbuild({
    stdin: {
      contents: `import main from ${JSON.stringify(path)}\n${exports}`,
      resolveDir: folder,
    },
    // Paths only occur in comments of the code, which minifying removes.
    absWorkingDir: folder,
    metafile: true,
    alias: { '@linchpin/kit/testing': FIXTURES, '@linchpin/kit': kit },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw /No matching export .* for import "default"/.test(error.message)
      ? new Error(`${file} has no default export.`, { cause: error })
      : error
  })
  const files = Object.keys(metafile.inputs)
    .filter((name) => name !== '<stdin>' && !name.includes('node_modules'))
    .map((name) => resolve(folder, name))
    .filter((name) => !name.startsWith(dirname(KIT)))
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), files }
}

/** Compiled code. */
export interface Compiled {
  readonly bytes: Uint8Array
  /** The source files, except those of the kit and of packages. */
  readonly files: readonly string[]
}

/** Exports the default export as the main function of a bundle. */
export const EXPORT_MAIN = 'module.exports = main.default = main.main = main'

// Bundles are built from the sources, even if the kit is packed, so the bytes are the same everywhere.
const SOURCES = import.meta.url.endsWith('.ts') ? '../' : '../../sources/'
const KIT = fileURLToPath(new URL(`${SOURCES}index.ts`, import.meta.url))
const STRICT_KIT = fileURLToPath(new URL(`${SOURCES}lint/strict-kit.ts`, import.meta.url))
const FIXTURES = fileURLToPath(new URL(`${SOURCES}test/fixture-builders.ts`, import.meta.url))
