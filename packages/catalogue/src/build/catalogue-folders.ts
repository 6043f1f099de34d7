import { globSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The source folders of a catalogue. */
export interface CatalogueFolders {
  /** One file per integration, named after its key: an entry (`.json`) or code (`.ts`), next to its fixtures. */
  readonly sources: string
  /** `{key}/{version}/` of all published versions: `entry.json` or `index.js`; and `runtimes/{number}.js`. Immutable. */
  readonly published: string
  /** `{key}.svg` of each integration that has an icon of its own. */
  readonly icons: string
}

/** The bundled catalogue. */
export const DEFAULT_FOLDERS: CatalogueFolders = {
  sources: fileURLToPath(new URL('../../entries/', import.meta.url)),
  published: fileURLToPath(new URL('../../published/', import.meta.url)),
  icons: fileURLToPath(new URL('../../icons/', import.meta.url)),
}

/** An integration of the catalogue. */
export interface CatalogueSource {
  readonly key: string
  readonly file: string
}

/** All integrations, sorted by key. */
export function listSources({ sources }: CatalogueFolders): CatalogueSource[] {
  return globSync('*.{json,ts}', { cwd: sources })
    .filter((name) => !/\.(?:fixtures\.(?:json|ts)|test\.ts)$/.test(name))
    .map((name) => ({ key: path.parse(name).name, file: path.join(sources, name) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

/** The published versions of an integration: their files. */
export function listPublishedVersions({ published }: CatalogueFolders, key: string): string[] {
  return globSync('*/{entry.json,index.js}', { cwd: path.join(published, key) })
}

/** The file of a published runtime. */
export function runtimeFile({ published }: CatalogueFolders, runtime: number): string {
  return path.join(published, 'runtimes', `${runtime}.js`)
}
