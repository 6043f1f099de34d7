import { globSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, loadIntegration } from '@linchpin/kit/build'
import type { CatalogueEntry, CatalogueVersion } from '../catalogue-entry.ts'
import { compareVersions } from '../compare-versions.ts'

const sources = fileURLToPath(new URL('../integrations/', import.meta.url))
const published = fileURLToPath(new URL('../../published/', import.meta.url))

/**
 * Writes the catalogue into a folder: `{key}/{version}/index.js` of each integration and of each version that was
 * published before, and `registry.json`, the entries. The folder is replaced as a whole.
 *
 * @throws Error that names the file of an integration that does not compile, or whose key is not its file's name
 */
export async function writeCatalogue(output: string): Promise<void> {
  const draft = `${output}.${process.pid}.tmp`
  const entries: CatalogueEntry[] = []
  for (const file of globSync('*.ts', { cwd: sources }).toSorted())
    if (!file.endsWith('.fixtures.ts')) entries.push(await writeEntry(draft, file))
  await mkdir(draft, { recursive: true })
  await writeFile(path.join(draft, 'registry.json'), JSON.stringify(entries))
  await rm(output, { recursive: true, force: true })
  await rename(draft, output)
}

async function writeEntry(folder: string, file: string): Promise<CatalogueEntry> {
  const { code, sha256 } = await build(path.join(sources, file))
  const { definition } = loadIntegration(code)
  const { key, name, category, version, stage = 'ALPHA', docs = '' } = definition
  if (`${key}.ts` !== file) throw new Error(`${file}: its key is ${key}`)
  const older = globSync('*/index.js', { cwd: path.join(published, key) })
  const versions = [{ version, sha256, spec: await specOf(code) }]
  await write(folder, key, version, code)
  for (const bundle of older) versions.push(await copyPublished(folder, key, path.dirname(bundle)))
  versions.sort((one, other) => compareVersions(other.version, one.version))
  return { key, name, category, stage, docs, versions }
}

async function copyPublished(
  folder: string,
  key: string,
  version: string,
): Promise<CatalogueVersion> {
  const code = await readFile(path.join(published, key, version, 'index.js'), 'utf8')
  await write(folder, key, version, code)
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(code))).toString(
    'hex',
  )
  return { version, sha256, spec: await specOf(code) }
}

async function specOf(code: string): Promise<string> {
  return JSON.stringify(await loadIntegration(code)('SPEC'))
}

async function write(folder: string, key: string, version: string, code: string): Promise<void> {
  const place = path.join(folder, key, version)
  await mkdir(place, { recursive: true })
  await writeFile(path.join(place, 'index.js'), code)
}

const [, script, output] = process.argv
if (script === fileURLToPath(import.meta.url) && output !== undefined) await writeCatalogue(output)
