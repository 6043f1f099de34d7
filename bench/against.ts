import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ROOT, type SourceTree } from './subject.ts'

/**
 * Checks out a commit into a temporary folder and builds its service. The folder is removed when this process exits.
 * It is not below `node_modules`, where Node does not run TypeScript.
 *
 * @throws if there is no such commit, or if it cannot be built
 */
export function checkOutCommit(commit: string): SourceTree {
  const id = git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`).trim()
  const root = mkdtempSync(path.join(tmpdir(), 'linchpin-against-'))
  process.once('exit', () => removeTree(root))
  git('worktree', 'add', '--quiet', '--detach', root, id)
  // Another lockfile has other packages, which the build installs.
  if (hashLockfile(root) === hashLockfile(ROOT)) borrowPackages(root)
  execFileSync('node', ['scripts/prepare.mjs', '--dev', '--no-packages'], {
    cwd: root,
    // Without the variables of `npm run`, which name this folder.
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['ignore', 2, 2],
  })
  return { root, program: path.join(root, 'packages/server/generated/main.mjs') }
}

function hashLockfile(root: string): string {
  return hash('sha256', readFileSync(path.join(root, 'package-lock.json')))
}

/** Links the packages of this folder, except the workspaces, which are those of the other; copies what is built, as a cache. */
function borrowPackages(root: string): void {
  mkdirSync(path.join(root, WORKSPACES), { recursive: true })
  for (const name of readdirSync(path.join(ROOT, 'node_modules')))
    if (!OWN.includes(name))
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name))
  // Their targets are relative.
  for (const name of readdirSync(path.join(ROOT, WORKSPACES)))
    symlinkSync(readlinkSync(path.join(ROOT, WORKSPACES, name)), path.join(root, WORKSPACES, name))
  for (const folder of globSync('{packages,test}/*/node_modules', { cwd: ROOT }))
    symlinkSync(path.join(ROOT, folder), path.join(root, folder))
  for (const folder of globSync('packages/*/generated', { cwd: ROOT }))
    cpSync(path.join(ROOT, folder), path.join(root, folder), { recursive: true })
}

const WORKSPACES = 'node_modules/@linchpin'
const OWN = ['.cache', path.basename(WORKSPACES)]

function removeTree(root: string): void {
  rmSync(root, { recursive: true, force: true })
  git('worktree', 'prune')
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
}
