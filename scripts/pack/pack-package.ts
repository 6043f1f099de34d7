import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..')

/** The input of a compilation. */
export interface Compilation {
  /** The configuration that it extends, relative to the root of the repository. */
  readonly base: string
  /** Output paths are relative to this folder. */
  readonly rootDir: string
  /** Entry points; everything that they import is compiled too. */
  readonly entries: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Compiles sources to JavaScript and declarations whose imports end in `.js`: with `.ts`, compilers of applications may
 * reject them. @throws Error with the output of tsc
 */
export function compileInto(
  outputFolder: string,
  { base, rootDir, entries, options }: Compilation,
): void {
  mkdirSync(outputFolder, { recursive: true })
  const config = path.join(path.dirname(outputFolder), 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    outDir: outputFolder,
    rootDir,
    ...options,
  }
  const files = entries.map((entry) => path.join(rootDir, entry))
  writeJson(config, { extends: path.join(ROOT, base), compilerOptions, include: [], files })
  run(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], ROOT)
  rmSync(config)
  for (const file of globSync('**/*.d.ts', { cwd: outputFolder })) {
    const declarationFile = path.join(outputFolder, file)
    const text = readFileSync(declarationFile, 'utf8')
    writeFileSync(declarationFile, text.replace(/(['"])(\.[^'"]*)\.ts\1/g, '$1$2.js$1'))
  }
}

/** Stages a package in `folder/package`, which is emptied first, and packs it. @returns the tarball */
export function packStaged(stage: (stagingDir: string) => void, folder: string): string {
  const stagingDir = path.join(folder, 'package')
  rmSync(stagingDir, { recursive: true, force: true })
  stage(stagingDir)
  return packFolder(stagingDir, folder)
}

/** Packs a folder to a tarball in another folder. @returns the tarball; @throws Error with the output of npm */
function packFolder(folder: string, targetFolder: string): string {
  const printed = run(
    'npm',
    ['pack', '--silent', '--pack-destination', targetFolder, folder],
    targetFolder,
  )
  return path.join(targetFolder, printed.trim().split('\n').at(-1) ?? '')
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

function run(program: string, args: readonly string[], cwd: string): string {
  const result = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (result.status === 0) return result.stdout
  throw new Error(`${program} ${args[0]}: ${result.stdout}${result.stderr}`)
}
