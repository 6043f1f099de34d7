import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDERS = ['packages', 'examples', 'test', 'scripts', 'docs']

/** A copy of the sources in which defects can be planted: the checkout never changes. */
export interface RepositoryCopy {
  readonly folder: string
  remove(): void
}

/**
 * Copies the sources and what is generated from them to a temporary folder. Dependencies are symbolic links to those of the
 * checkout, and the packages of the workspace are those of the copy.
 */
export function copyRepository(): RepositoryCopy {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-mutants-'))
  for (const name of readdirSync(ROOT))
    if (FOLDERS.includes(name) || /\.(?:json|mjs)$/.test(name))
      cpSync(path.join(ROOT, name), path.join(folder, name), {
        recursive: true,
        verbatimSymlinks: true,
      })
  linkDependencies(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

/** Links each dependency, but copies the relative links to the packages of the workspace. */
function linkDependencies(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@')) linkDependencies(source, target)
    else symlinkSync(source, target)
  }
}
