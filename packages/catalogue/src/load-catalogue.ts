import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CatalogueEntry } from './catalogue-entry.ts'

/** Integrations, their bundles and their icons, as files. */
export interface Catalogue {
  readonly entries: readonly CatalogueEntry[]
  /** The bytes of a bundle; undefined when there is no such version. */
  bundle(key: string, version: string): Promise<Uint8Array | undefined>
  /** An SVG; undefined when the integration has none. */
  icon(key: string): Promise<Uint8Array | undefined>
}

/** The catalogue that comes with Linchpin, as `build-catalogue.mjs` has built it. @throws Error when it was not built */
export async function loadCatalogue(): Promise<Catalogue> {
  const entries: CatalogueEntry[] = JSON.parse(
    await readFile(file('generated/registry.json'), 'utf8'),
  )
  const read = readInTurn()
  const versions = new Map(entries.map((entry) => [entry.key, entry.versions]))
  return {
    entries,
    async bundle(key, version) {
      const known = versions.get(key)?.some((each) => each.version === version)
      return known ? read(file(`generated/${key}/${version}/index.js`)) : undefined
    },
    async icon(key) {
      return versions.has(key) ? read(file(`icons/${key}.svg`)).catch(absent) : undefined
    },
  }
}

/** Reads one file at a time: all icons at once need more file descriptors than a process with a low limit has left. */
function readInTurn(): (name: string) => Promise<Uint8Array> {
  let last: Promise<unknown> = Promise.resolve()
  return (name) => {
    const bytes = last.then(() => readFile(name))
    last = bytes.catch(() => undefined)
    return bytes
  }
}

function file(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}

function absent(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error
}
