import { spawnSync } from 'node:child_process'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Formats TypeScript as the rest of the repository is. @throws Error with the output of the formatter */
export function formatTypes(source: string): string {
  const biome = path.join(ROOT, 'node_modules/.bin/biome')
  const { status, stdout, stderr } = spawnSync(
    biome,
    ['format', '--stdin-file-path=packages/sdk/src/api-types.ts'],
    { cwd: ROOT, input: source, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}
