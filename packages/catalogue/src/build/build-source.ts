import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build, bundleEntry, compileRuntime, type Entry, readEntry } from '@linchpin/kit/build'
import { type CatalogueFolders, runtimeFile } from './catalogue-folders.ts'

/** A source, and the bundle that it becomes. */
export interface BuiltSource {
  /** The bundle. */
  readonly code: string
  /** What is published of it, and its name: the bundle, or the entry. */
  readonly published: string
  readonly publishedName: 'entry.json' | 'index.js'
  /** What the bundle is made of, if it is data. */
  readonly entry?: Entry
}

/** Builds an integration: an entry with the runtime that it names, published or as its sources are now, or code. */
export async function buildSource(folders: CatalogueFolders, file: string): Promise<BuiltSource> {
  if (path.extname(file) === '.json') {
    const { $schema, ...entry } = await readEntry(file)
    const code = bundleEntry(entry, await readRuntime(folders, entry.runtime))
    const published = `${JSON.stringify(entry)}\n`
    return { code, published, publishedName: 'entry.json', entry }
  }
  const { code } = await build(file)
  return { code, published: code, publishedName: 'index.js' }
}

/** The bundle of a published version, and its entry. */
export async function readPublished(
  folders: CatalogueFolders,
  file: string,
): Promise<Pick<BuiltSource, 'code' | 'entry'>> {
  return path.extname(file) === '.json'
    ? buildSource(folders, file)
    : { code: await readFile(file, 'utf8') }
}

/** The published code that runs entries, by number; what the sources are now, if none is published. */
export async function readRuntimes(folders: CatalogueFolders): Promise<Record<number, string>> {
  const runtimes: Record<number, string> = { 1: await readRuntime(folders, 1) }
  for (let number = 2; existsSync(runtimeFile(folders, number)); number += 1)
    runtimes[number] = await readRuntime(folders, number)
  return runtimes
}

async function readRuntime(folders: CatalogueFolders, runtime: number): Promise<string> {
  const file = runtimeFile(folders, runtime)
  return existsSync(file) ? readFile(file, 'utf8') : compileRuntime()
}
