import { spawnSync } from 'node:child_process'
import path from 'node:path'

/** The oldest Node that the published packages run on. */
const OLDEST_MAJOR = 20

/**
 * A Node 20 of this machine, to run published packages on: the first on the PATH that is not the one of a clone. With CI set, it
 * must exist. Undefined without one.
 *
 * @throws Error in CI without one
 */
export function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).concat('/usr/bin')
  const found = folders
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => path.join(folder, 'node'))
    .find((program) => {
      const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
      return stdout?.startsWith(`v${OLDEST_MAJOR}.`)
    })
  if (found === undefined && process.env.CI === 'true')
    throw new Error(`Node ${OLDEST_MAJOR} was not found, and CI=true requires it.`)
  return found
}

/** This Node, and an old one if there is one: with titles for tests. */
export function listNodes(): { readonly program: string; readonly title: string }[] {
  const old = findOldNode()
  const own = { program: process.execPath, title: 'this Node' }
  return old === undefined ? [own] : [own, { program: old, title: `Node ${OLDEST_MAJOR}` }]
}
