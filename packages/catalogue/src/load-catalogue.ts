import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CatalogueEntry } from './catalogue-entry.ts'

/** Integrations with their bundles and icons, read from files. */
export interface Catalogue {
  readonly entries: readonly CatalogueEntry[]
  /** The code that runs entries, by the numbers of its releases. */
  readonly runtimes: ReadonlyMap<number, string>
  /** The bytes of a bundle; undefined if the version does not exist. */
  bundle(key: string, version: string): Promise<Uint8Array | undefined>
  /** An SVG; undefined if the integration has no icon. */
  icon(key: string): Promise<Uint8Array | undefined>
}

/** The code of the error for a clone that `scripts/prepare.mjs` has not prepared. */
const NOT_PREPARED = 'ENOTPREPARED'

/**
 * Loads the bundled catalogue as built by `build-catalogue.mjs`.
 *
 * @throws Error with the code `ENOTPREPARED` if it has not been built
 */
export async function loadCatalogue(): Promise<Catalogue> {
  const entries: CatalogueEntry[] = JSON.parse(
    await readFile(resolvePath('generated/registry.json'), 'utf8').catch(explainMissingFile),
  )
  const read = createSequentialReader()
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  return {
    entries,
    runtimes: await loadRuntimes(),
    async bundle(key, version) {
      const exists = byKey.get(key)?.versions.some((each) => each.version === version)
      return exists ? read(resolvePath(`generated/${key}/${version}/index.js`)) : undefined
    },
    async icon(key) {
      return byKey.get(key)?.hasIcon ? read(resolvePath(`icons/${key}.svg`)) : undefined
    },
  }
}

/** The code that runs entries, by the numbers of its releases. @throws Error as loadCatalogue */
export async function loadRuntimes(): Promise<ReadonlyMap<number, string>> {
  const runtimes: Readonly<Record<string, string>> = JSON.parse(
    await readFile(resolvePath('generated/runtimes.json'), 'utf8').catch(explainMissingFile),
  )
  return new Map(Object.entries(runtimes).map(([number, code]) => [Number(number), code]))
}

/** Reads one file at a time, because reading all bundles at once could exceed a low limit of file descriptors. */
function createSequentialReader(): (name: string) => Promise<Uint8Array> {
  let previous: Promise<unknown> = Promise.resolve()
  return (name) => {
    const bytes = previous.then(() => readFile(name))
    previous = bytes.catch(() => undefined)
    return bytes
  }
}

function resolvePath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}

function explainMissingFile(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error
  const message =
    "Files that are built from Linchpin's sources are missing. Run `node scripts/prepare.mjs` in its folder, or start with `npm start`, which does."
  throw Object.assign(new Error(message), { code: NOT_PREPARED })
}
