/**
 * The hooks of `npm pack` and `npm publish` inside a package. `prepack` puts what is published in the place of the sources, and
 * `postpack` restores them. npm runs them in the folder of the package.
 *
 * Usage: node ../../scripts/pack/pack-hooks.ts prepack|postpack
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stageCli } from './pack-cli.ts'
import { stageClient } from './pack-client.ts'
import { stageKit } from './pack-kit.ts'
import { writeJson } from './pack-package.ts'
import { stageSdk } from './pack-sdk.ts'

/** The published packages by the names of their folders. */
const STAGES: Readonly<Record<string, (folder: string) => void>> = {
  cli: stageCli,
  client: stageClient,
  kit: stageKit,
  sdk: stageSdk,
}

/** Where the sources are while npm packs. */
const BACKUP = '.before-pack'
const LIST = 'list.json'

/** Puts what is published into the folder of a package. @throws Error for a package that is not published */
export function prepack(packageDir: string): void {
  const stage = STAGES[path.basename(packageDir)]
  if (stage === undefined)
    throw new Error('This package is a part of the service, and is not published.')
  // A pack that was interrupted has not restored them.
  postpack(packageDir)
  const stagingDir = mkdtempSync(path.join(tmpdir(), 'pack-'))
  stage(stagingDir)
  const backup = path.join(packageDir, BACKUP)
  mkdirSync(path.join(backup, 'sources'), { recursive: true })
  const names = readdirSync(stagingDir)
  const entries = names.map((name) => ({ name, isSource: existsSync(path.join(packageDir, name)) }))
  writeJson(path.join(backup, LIST), entries)
  for (const { name, isSource } of entries) {
    const target = path.join(packageDir, name)
    if (isSource) renameSync(target, path.join(backup, 'sources', name))
    cpSync(path.join(stagingDir, name), target, { recursive: true })
  }
  rmSync(stagingDir, { recursive: true })
}

/** Restores the sources. */
export function postpack(packageDir: string): void {
  const backup = path.join(packageDir, BACKUP)
  if (!existsSync(path.join(backup, LIST))) return
  const entries: { name: string; isSource: boolean }[] = JSON.parse(
    readFileSync(path.join(backup, LIST), 'utf8'),
  )
  for (const { name, isSource } of entries) {
    const target = path.join(packageDir, name)
    const source = path.join(backup, 'sources', name)
    const isMoved = existsSync(source)
    if (isMoved || !isSource) rmSync(target, { recursive: true, force: true })
    if (isMoved) renameSync(source, target)
  }
  rmSync(backup, { recursive: true })
}

if (process.argv[1] === import.meta.filename) {
  try {
    const hook = process.argv[2] === 'prepack' ? prepack : postpack
    hook(process.cwd())
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
