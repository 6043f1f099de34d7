import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as esbuild } from 'esbuild'

/** A compiled integration. */
export interface BuiltBundle {
  readonly code: string
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** The files that it was made of, but for the kit's own and those of packages. */
  readonly files: readonly string[]
}

/** What an integration without code needs at most, in bytes. */
export const MAX_BUNDLE_BYTES = 15 * 1024

/**
 * Compiles the file whose default export is an integration to a CommonJS bundle. The same sources give the same bytes,
 * wherever they lie.
 *
 * @throws Error that names file and line when the sources do not compile
 */
export async function build(file: string): Promise<BuiltBundle> {
  const { bytes, files } = await compile(file, 'module.exports = main.default = main.main = main')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { code: new TextDecoder().decode(bytes), sha256, size: bytes.length, files }
}

/**
 * Compiles a file to CommonJS; `exports` is the statement that hands on its default export, `main`.
 *
 * @throws Error that names file and line when the sources do not compile, or says that there is no such file
 */
export async function compile(file: string, exports: string): Promise<Compiled> {
  const path = resolve(file)
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile()) throw new Error(`${file} is ${stats ? 'no file' : 'not there'}.`)
  const folder = dirname(path)
  const { outputFiles, metafile } = await esbuild({
    stdin: {
      contents: `import main from ${JSON.stringify(path)}\n${exports}`,
      resolveDir: folder,
    },
    // Paths end up in the code only as comments, which minifying removes.
    absWorkingDir: folder,
    metafile: true,
    alias: { '@linchpin/kit/testing': FIXTURES, '@linchpin/kit': KIT },
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

interface Compiled extends Pick<BuiltBundle, 'files'> {
  readonly bytes: Uint8Array
}

// Bundles are made of the sources, also where the kit is packed: the same bytes everywhere.
const SOURCES = import.meta.url.endsWith('.ts') ? '../' : '../../sources/'
const KIT = fileURLToPath(new URL(`${SOURCES}index.ts`, import.meta.url))
const FIXTURES = fileURLToPath(new URL(`${SOURCES}test/fixture-builders.ts`, import.meta.url))
