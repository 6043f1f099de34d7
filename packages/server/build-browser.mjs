import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const stamp = path.join(here, 'generated/browser.hash')
const folders = [
  path.join(here, 'src/link-page/browser'),
  // What a number is, the server and the page judge alike.
  path.join(here, 'src/link-page/form'),
  path.join(here, '../client/src'),
]
const outputs = [
  // The connect page's own script, and the one that hosts put into their pages.
  { from: 'src/link-page/browser/main.ts', to: 'generated/link-page.js', format: 'esm' },
  { from: '../client/src/link-script.ts', to: 'generated/link.js', format: 'iife' },
]

/**
 * Bundles what runs in browsers into `generated/`, when its inputs changed. Runs on Node 20 and later. Answers whether it
 * built.
 * @returns {Promise<boolean>}
 */
export async function buildBrowser() {
  const [hash, known] = await Promise.all([hashInputs(), readFile(stamp, 'utf8').catch(() => '')])
  const files = outputs.map(({ to }) => path.join(here, to))
  if (known === hash && (await Promise.all(files.map(exists))).every(Boolean)) return false
  const { build } = await import('esbuild')
  await mkdir(path.join(here, 'generated'), { recursive: true })
  for (const { from, to, format } of outputs) {
    const result = await build({
      entryPoints: [path.join(here, from)],
      bundle: true,
      write: false,
      format,
      platform: 'browser',
      target: ['chrome109', 'firefox115', 'safari16.4'],
      minify: true,
      legalComments: 'none',
      charset: 'utf8',
      logLevel: 'warning',
    })
    await replace(path.join(here, to), result.outputFiles[0].contents)
  }
  await replace(stamp, hash)
  return true
}

async function hashInputs() {
  const found = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  )
  const names = found
    .flat()
    .filter((file) => file.isFile() && file.name.endsWith('.ts') && !file.name.endsWith('.test.ts'))
    .map((file) => path.join(file.parentPath ?? file.path, file.name))
    .sort()
  const hash = createHash('sha256')
  for (const name of [...names, fileURLToPath(import.meta.url)])
    hash.update(`${path.relative(here, name)}\0`).update(await readFile(name))
  return hash.digest('hex')
}

function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function replace(file, contents) {
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, contents)
  await rename(temporary, file)
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildBrowser()
}
