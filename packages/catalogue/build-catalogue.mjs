import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const root = path.join(here, '../..')
const output = path.join(here, 'generated')
const stamp = path.join(output, 'catalogue.hash')

/**
 * Builds every integration into `generated/{key}/{version}/index.js`, and `generated/registry.json` with their digests
 * and specs, when their inputs changed. Runs on Node 20 and later. Answers whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildCatalogue() {
  const [hash, known] = await Promise.all([hashInputs(), readFile(stamp, 'utf8').catch(() => '')])
  if (known === hash && (await exists(path.join(output, 'registry.json')))) return false
  // The kit is TypeScript: it needs the Node that the service runs on.
  const own = path.join(root, 'node_modules/.bin/node')
  const node = existsSync(own) ? own : process.execPath
  const script = path.join(here, 'src/build/write-catalogue.ts')
  const done = spawnSync(node, [script, output], { stdio: ['ignore', 2, 2] })
  if (done.status !== 0) throw new Error('the catalogue could not be built')
  await replace(stamp, hash)
  return true
}

async function hashInputs() {
  const folders = [
    path.join(here, 'src'),
    path.join(here, 'published'),
    path.join(here, '../kit/src'),
  ]
  const found = await Promise.all(folders.map(list))
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'))
  const hash = createHash('sha256').update(lock.packages['node_modules/esbuild']?.version ?? '')
  for (const name of [...found.flat(), fileURLToPath(import.meta.url)])
    hash.update(`${path.relative(here, name)}\0`).update(await readFile(name))
  return hash.digest('hex')
}

async function list(folder) {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return files
    .filter((file) => file.isFile() && !/\.(?:test|fixtures)\.ts$/.test(file.name))
    .map((file) => path.join(file.parentPath ?? file.path, file.name))
    .sort()
}

function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function replace(file, contents) {
  await mkdir(path.dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, contents)
  await rename(temporary, file).catch(async (error) => {
    await rm(temporary, { force: true })
    throw error
  })
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildCatalogue()
}
