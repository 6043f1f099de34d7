import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, loadIntegration } from '@linchpin/kit/build'
import { type CatalogueFolders, DEFAULT_FOLDERS, listIntegrationKeys } from './catalogue-folders.ts'

/**
 * Publishes the bundle of every integration before a release: services know the bytes of a version and accept no others.
 * If a source or the kit has changed since its version was published, bumps the patch version in the source first.
 *
 * @returns the new versions, such as `github 1.0.1`
 */
export async function publishCatalogue(
  folders: CatalogueFolders = DEFAULT_FOLDERS,
): Promise<string[]> {
  const published: string[] = []
  for (const key of listIntegrationKeys(folders)) {
    const source = path.join(folders.sources, `${key}.ts`)
    for (;;) {
      const { code } = await build(source)
      const { version } = loadIntegration(code).definition
      const file = path.join(folders.published, key, version, 'index.js')
      if (!existsSync(file)) {
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, code)
        published.push(`${key} ${version}`)
        break
      }
      if ((await readFile(file, 'utf8')) === code) break
      await bumpPatchVersion(source, version)
    }
  }
  return published
}

async function bumpPatchVersion(source: string, version: string): Promise<void> {
  const text = await readFile(source, 'utf8')
  const [, start = '', last = ''] = /^(\d+\.\d+\.)(\d+)$/.exec(version) ?? []
  const bumped = text.replace(`version: '${version}'`, `version: '${start}${Number(last) + 1}'`)
  if (bumped === text) throw new Error(`${source}: could not bump version ${version}`)
  await writeFile(source, bumped)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const each of await publishCatalogue()) console.log(each)
