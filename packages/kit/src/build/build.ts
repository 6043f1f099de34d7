import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { bundleEntry } from '../entry/bundle-text.ts'
import { compileRuntime, readEntry } from './bundle-entry.ts'
import { type Compiled, compile, EXPORT_MAIN } from './compile.ts'

/** A compiled integration. */
export interface BuiltBundle {
  readonly code: string
  /** SHA-256 of the code, in lower-case hexadecimal. */
  readonly sha256: string
  /** In bytes. */
  readonly size: number
  /** The source files, except those of the kit and of packages. */
  readonly files: readonly string[]
}

/** Maximum size of an integration without code, in bytes: an entry has the code of all authentication methods. */
export const MAX_BUNDLE_BYTES = 25 * 1024

/**
 * Compiles a file whose default export is an integration, or bundles an entry (`.json`), to CommonJS. The same sources give
 * the same bytes in any folder.
 *
 * @throws Error with file and line when the sources do not compile, or with what is wrong with an entry
 */
export async function build(file: string): Promise<BuiltBundle> {
  const { bytes, files } = isEntryFile(file)
    ? await compileEntry(file)
    : await compile(file, EXPORT_MAIN)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { code: new TextDecoder().decode(bytes), sha256, size: bytes.length, files }
}

/** Whether a file has an integration as data. */
export function isEntryFile(file: string): boolean {
  return file.endsWith('.json')
}

async function compileEntry(file: string): Promise<Compiled> {
  const code = bundleEntry(await readEntry(file), await compileRuntime())
  return { bytes: new TextEncoder().encode(code), files: [resolve(file)] }
}
