import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { extractStaticData } from './src/guest/brotli/extract-static-data.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const source = path.join(here, 'src/guest')
const output = path.join(here, 'generated/guest.js')
const stamp = path.join(here, 'generated/guest.hash')

/**
 * Bundles the jail's stand-ins for Node (`src/guest`) into `generated/guest.js`, when their inputs changed.
 * Runs on Node 20 and later. Answers whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildGuest() {
  const [hash, known] = await Promise.all([hashInputs(), readFile(stamp, 'utf8').catch(() => '')])
  if (known === hash && (await exists(output))) return false
  const { build } = await import('esbuild')
  const result = await build(options())
  await mkdir(path.dirname(output), { recursive: true })
  await replace(output, result.outputFiles[0].contents)
  await replace(stamp, hash)
  return true
}

function options() {
  return {
    entryPoints: [path.join(source, 'main.js')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    // Class names are part of what stands in for Node's classes.
    keepNames: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    plugins: [standIns(), brotliData()],
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.NODE_DEBUG': '""',
      // readable-stream asks for Node's own stream when this is "disable".
      'process.env.READABLE_STREAM': '""',
    },
  }
}

/** Node's module names, as the packages inside the guest script require them. */
function standIns() {
  const packages = {
    assert: 'assert/build/assert.js',
    buffer: 'buffer/index.js',
    events: 'events/events.js',
    path: 'path-browserify/index.js',
    punycode: 'punycode/punycode.js',
    stream: 'readable-stream/lib/stream.js',
    string_decoder: 'string_decoder/lib/string_decoder.js',
    url: 'url/url.js',
    util: 'util/util.js',
  }
  const ours = { process: 'node/process.cjs', qs: 'node/qs.cjs' }
  const require = createRequire(import.meta.url)
  return {
    name: 'stand-ins',
    setup(build) {
      const filter =
        /^(node:)?(assert|buffer|events|path|process|punycode|qs|stream|string_decoder|url|util)\/?$/
      build.onResolve({ filter }, ({ path: asked }) => {
        const name = asked.replace(/^node:/, '').replace(/\/$/, '')
        if (name in ours) return { path: path.join(source, ours[name]) }
        const [folder, ...rest] = packages[name].split('/')
        const root = path.dirname(require.resolve(`${folder}/package.json`))
        return { path: path.join(root, ...rest) }
      })
    },
  }
}

/** The module `brotli:static-data`: `{ words, transforms }`. */
function brotliData() {
  return {
    name: 'brotli-data',
    setup(build) {
      build.onResolve({ filter: /^brotli:static-data$/ }, ({ path: asked }) => ({
        path: asked,
        namespace: 'brotli',
      }))
      build.onLoad({ filter: /.*/, namespace: 'brotli' }, () => ({
        contents: JSON.stringify(extractStaticData()),
        loader: 'json',
      }))
    },
  }
}

async function hashInputs() {
  const hash = createHash('sha256')
  const files = await readdir(source, { recursive: true, withFileTypes: true })
  const names = files
    .filter((file) => file.isFile() && /\.[cm]?js$/.test(file.name))
    .map((file) => path.join(file.parentPath ?? file.path, file.name))
    .sort()
  const inputs = [...names, fileURLToPath(import.meta.url)]
  const contents = await Promise.all(inputs.map((name) => readFile(name)))
  for (const [at, name] of inputs.entries()) {
    hash.update(`${path.relative(here, name)}\0`).update(contents[at])
  }
  return hash.update(await lockedVersions()).digest('hex')
}

/** The guest's packages with their locked versions; dependencies of theirs are pinned by the same file. */
async function lockedVersions() {
  const wanted = JSON.parse(await readFile(path.join(here, 'package.json'), 'utf8')).dependencies
  const lock = await readFile(path.join(here, '../../package-lock.json'), 'utf8').catch(() => '')
  return JSON.stringify(wanted) + createHash('sha256').update(lock).digest('hex')
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
  await buildGuest()
}
