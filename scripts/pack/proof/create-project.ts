import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { writeJson } from '../pack-package.ts'

/** A folder outside of the clone, with packages that npm has installed. */
export interface Project {
  readonly folder: string
  write(file: string, content: string | object): void
  /** Runs a program there. @returns what it prints; @throws Error with it if the program fails */
  run(program: string, args: readonly string[], env?: Record<string, string>): string
  remove(): void
}

/** Installs packages, `name@version` or tarballs, without their install scripts. @throws Error with the output of npm */
export function createProject(packages: readonly string[]): Project {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'))
  const project: Project = {
    folder,
    write(file, content) {
      const target = path.join(folder, file)
      if (typeof content === 'string') writeFileSync(target, content)
      else writeJson(target, content)
    },
    run(program, args, env = {}) {
      const options = { cwd: folder, encoding: 'utf8', timeout: 300_000 } as const
      const result = spawnSync(program, args, { ...options, env: { ...process.env, ...env } })
      if (result.status === 0) return result.stdout
      throw new Error(`${program} ${args.join(' ')}: ${result.stdout}${result.stderr}`)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
  project.write('package.json', { name: 'product', private: true, type: 'module' })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (packages.length > 0) project.run('npm', ['install', ...flags, ...packages])
  return project
}
