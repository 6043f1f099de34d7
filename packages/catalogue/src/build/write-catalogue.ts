import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadIntegration } from '@linchpin/kit/build'
import type { CatalogueEntry, CatalogueVersion } from '../catalogue-entry.ts'
import { compareVersions } from '../compare-versions.ts'
import { type BuiltSource, buildSource, readPublished, readRuntimes } from './build-source.ts'
import {
  type CatalogueFolders,
  type CatalogueSource,
  DEFAULT_FOLDERS,
  listPublishedVersions,
  listSources,
} from './catalogue-folders.ts'

/**
 * Writes the catalogue into a folder: `{key}/{version}/index.js` of each integration and of each published version, and
 * `registry.json` with all entries, and `runtimes.json` with the code that runs them. A published version keeps its bytes even if its source has changed. Replaces the
 * whole folder.
 *
 * @throws Error naming the file of an integration that does not compile or whose key differs from its file name
 */
export async function writeCatalogue(output: string, folders = DEFAULT_FOLDERS): Promise<void> {
  const draft = `${output}.${process.pid}.tmp`
  const entries: CatalogueEntry[] = []
  for (const source of listSources(folders)) entries.push(await writeEntry(draft, folders, source))
  await mkdir(draft, { recursive: true })
  await writeFile(path.join(draft, 'registry.json'), JSON.stringify(entries))
  await writeFile(path.join(draft, 'runtimes.json'), JSON.stringify(await readRuntimes(folders)))
  await rm(output, { recursive: true, force: true })
  await rename(draft, output)
}

async function writeEntry(
  draft: string,
  folders: CatalogueFolders,
  source: CatalogueSource,
): Promise<CatalogueEntry> {
  const built = await buildSource(folders, source.file)
  const { definition } = loadIntegration(built.code)
  const { key, name, category, version, stage = 'ALPHA', docs = '' } = definition
  if (key !== source.key)
    throw new Error(`${source.file}: the key ${key} differs from the file name`)
  const byVersion = new Map<string, Pick<BuiltSource, 'code' | 'entry'>>([[version, built]])
  for (const file of listPublishedVersions(folders, key))
    byVersion.set(
      path.dirname(file),
      await readPublished(folders, path.join(folders.published, key, file)),
    )
  const versions: CatalogueVersion[] = []
  for (const [each, { code, entry }] of byVersion) {
    await write(path.join(draft, key, each), code)
    const sha256 = createHash('sha256').update(code).digest('hex')
    const spec = JSON.stringify(await loadIntegration(code)('SPEC'))
    versions.push({ version: each, sha256, spec, ...(entry !== undefined && { entry }) })
  }
  versions.sort((one, other) => compareVersions(other.version, one.version))
  const hasIcon = existsSync(path.join(folders.icons, `${key}.svg`))
  return { key, name, category, stage, docs, hasIcon, versions }
}

async function write(folder: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'index.js'), code)
}

const [, script, output] = process.argv
if (script === fileURLToPath(import.meta.url) && output !== undefined) await writeCatalogue(output)
