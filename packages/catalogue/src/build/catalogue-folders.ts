import { globSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The source folders of a catalogue. */
export interface CatalogueFolders {
  /** One file per integration, named after its key, next to its fixtures. */
  readonly sources: string
  /** `{key}/{version}/index.js` of all published versions. Immutable. */
  readonly published: string
}

/** The bundled catalogue. */
export const DEFAULT_FOLDERS: CatalogueFolders = {
  sources: fileURLToPath(new URL('../integrations/', import.meta.url)),
  published: fileURLToPath(new URL('../../published/', import.meta.url)),
}

/** The keys of all integrations, sorted. */
export function listIntegrationKeys({ sources }: CatalogueFolders): string[] {
  return globSync('*.ts', { cwd: sources })
    .filter((file) => !/\.(?:fixtures|test)\.ts$/.test(file))
    .map((file) => path.basename(file, '.ts'))
    .toSorted()
}

/** The published versions of an integration. */
export function listPublishedVersions({ published }: CatalogueFolders, key: string): string[] {
  return globSync('*/index.js', { cwd: path.join(published, key) }).map((file) =>
    path.dirname(file),
  )
}
