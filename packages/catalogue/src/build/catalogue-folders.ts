import { globSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where a catalogue is made from. */
export interface CatalogueFolders {
  /** One file per integration, named by its key, beside its fixtures. */
  readonly sources: string
  /** `{key}/{version}/index.js` of every version that was released. These never change. */
  readonly published: string
}

/** The catalogue that comes with Linchpin. */
export const DEFAULT_FOLDERS: CatalogueFolders = {
  sources: fileURLToPath(new URL('../integrations/', import.meta.url)),
  published: fileURLToPath(new URL('../../published/', import.meta.url)),
}

/** The keys of all integrations, in order. */
export function listIntegrationKeys({ sources }: CatalogueFolders): string[] {
  return globSync('*.ts', { cwd: sources })
    .filter((file) => !/\.(?:fixtures|test)\.ts$/.test(file))
    .map((file) => path.basename(file, '.ts'))
    .toSorted()
}

/** The versions of an integration that were released. */
export function listPublishedVersions({ published }: CatalogueFolders, key: string): string[] {
  return globSync('*/index.js', { cwd: path.join(published, key) }).map((file) =>
    path.dirname(file),
  )
}
