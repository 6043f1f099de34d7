// Incremental builds of generated files. Plain JavaScript: it runs on Node 20 and later.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Builds if an input has changed since the last build or an output is missing. Returns whether it built.
 *
 * @param {object} step
 * @param {string} step.root folder that the names of inputs are relative to
 * @param {string[]} step.inputs files
 * @param {string} [step.versions] other inputs, such as versions of packages
 * @param {string[]} step.outputs files
 * @param {string} step.stamp file that stores the hash of the inputs
 * @param {() => Promise<void>} step.build
 * @returns {Promise<boolean>}
 */
export async function buildWhenChanged({ root, inputs, versions = '', outputs, stamp, build }) {
  const [hash, previousHash] = await Promise.all([
    hashInputs(root, inputs, versions),
    readFile(stamp, 'utf8').catch(() => ''),
  ])
  if (previousHash === hash && (await Promise.all(outputs.map(exists))).every(Boolean)) return false
  await build()
  await replaceFile(stamp, hash)
  return true
}

/**
 * Runs a script in TypeScript, which only the Node version of the service can run: the installed one. Its output goes to stderr.
 *
 * @param {string} root folder of the repository
 * @param {string} script
 * @param {string} output what the script writes
 * @param {string} failure message of the error if it fails
 */
export function runBuildScript(root, script, output, failure) {
  const installed = path.join(root, 'node_modules/.bin/node')
  const node = existsSync(installed) ? installed : process.execPath
  const done = spawnSync(node, [script, output], { stdio: ['ignore', 2, 2] })
  if (done.status !== 0) throw new Error(failure)
}

/**
 * The included files below folders, sorted. A missing folder has none.
 *
 * @param {string[]} folders
 * @param {(name: string) => boolean} isIncluded
 * @returns {Promise<string[]>}
 */
export async function filesBelow(folders, isIncluded) {
  const found = await Promise.all(
    folders.map((folder) =>
      readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  )
  return found
    .flat()
    .filter((file) => file.isFile() && isIncluded(file.name))
    .map((file) => path.join(file.parentPath ?? file.path, file.name))
    .sort()
}

/**
 * Writes a file atomically: a concurrent reader never sees a partial file.
 *
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
export async function replaceFile(file, contents) {
  await mkdir(path.dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, contents)
  await rename(temporary, file)
}

async function hashInputs(root, inputs, versions) {
  const contents = await Promise.all(inputs.map((name) => readFile(name)))
  const hash = createHash('sha256').update(versions)
  for (const [at, name] of inputs.entries())
    hash.update(`${path.relative(root, name)}\0`).update(contents[at])
  return hash.digest('hex')
}

function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  )
}
