import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as esbuild } from 'esbuild'

/** A compiled integration. */
export interface Built {
  readonly code: string
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
}

/**
 * Compiles the file whose default export is an integration to a CommonJS bundle. The same sources give the same bytes,
 * wherever they lie.
 *
 * @throws Error that names file and line when the sources do not compile
 */
export async function build(file: string): Promise<Built> {
  const path = resolve(file)
  const { outputFiles } = await esbuild({
    stdin: {
      contents: `import main from ${JSON.stringify(path)}\n${EXPORTS}`,
      resolveDir: dirname(path),
    },
    // Paths end up in the code only as comments, which minifying removes.
    absWorkingDir: dirname(path),
    alias: { '@linchpin/kit': KIT },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { code: new TextDecoder().decode(bytes), sha256, size: bytes.length }
}

/** Every form that hosts of the protocol look for, and `require('./index.js')('SPEC')`. */
const EXPORTS = 'module.exports = main.default = main.main = main'

const KIT = fileURLToPath(new URL('../index.ts', import.meta.url))
