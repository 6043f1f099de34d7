import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileRuntime, loadIntegration } from '@linchpin/kit/build'
import { buildSource } from './build-source.ts'
import {
  type CatalogueFolders,
  DEFAULT_FOLDERS,
  listSources,
  runtimeFile,
} from './catalogue-folders.ts'

/**
 * Publishes every integration before a release: services know the bytes of a version and accept no others. If a source has
 * changed since its version was published (for code: or the kit), bumps the patch version in the source first. If the code
 * that runs entries has changed, publishes it under the next number, which entries name when they are tested with it.
 *
 * @returns what was published, such as `github 1.0.1` and `runtime 2`
 */
export async function publishCatalogue(
  folders: CatalogueFolders = DEFAULT_FOLDERS,
): Promise<string[]> {
  const published = await publishRuntime(folders)
  for (const { key, file } of listSources(folders)) {
    for (;;) {
      const source = await buildSource(folders, file)
      const { version } = loadIntegration(source.code).definition
      const folder = path.join(folders.published, key, version)
      const target = path.join(folder, source.publishedName)
      if (!existsSync(folder)) {
        await mkdir(folder, { recursive: true })
        await writeFile(target, source.published)
        published.push(`${key} ${version}`)
        break
      }
      if (existsSync(target) && (await readFile(target, 'utf8')) === source.published) break
      await bumpPatchVersion(file, version)
    }
  }
  return published
}

/** Entries that name a published runtime keep it: a correction of the kit is not a new version of all of them. */
async function publishRuntime(folders: CatalogueFolders): Promise<string[]> {
  const code = await compileRuntime()
  let next = 1
  for (; existsSync(runtimeFile(folders, next)); next += 1)
    if ((await readFile(runtimeFile(folders, next), 'utf8')) === code) return []
  await mkdir(path.dirname(runtimeFile(folders, next)), { recursive: true })
  await writeFile(runtimeFile(folders, next), code)
  return [`runtime ${next}`]
}

async function bumpPatchVersion(source: string, version: string): Promise<void> {
  const text = await readFile(source, 'utf8')
  const [, start = '', last = ''] = /^(\d+\.\d+\.)(\d+)$/.exec(version) ?? []
  const bumped = text.replace(
    new RegExp(`(\\bversion"?:\\s*['"])${RegExp.escape(version)}(?=['"])`),
    `$1${start}${Number(last) + 1}`,
  )
  if (bumped === text) throw new Error(`${source}: could not bump version ${version}`)
  await writeFile(source, bumped)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const each of await publishCatalogue()) console.log(each)
