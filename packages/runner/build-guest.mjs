import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildWhenChanged, filesBelow, replaceFile } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const source = path.join(here, 'src/guest')
const output = path.join(here, 'generated/guest.js')

/**
 * Bundles the sandbox's replacements for Node (`src/guest`) into `generated/guest.js`, when their inputs changed. Runs on
 * Node 20 and later. Returns whether it built.
 * @returns {Promise<boolean>}
 */
export async function buildGuest() {
  return buildWhenChanged({
    root: here,
    inputs: [...(await filesBelow([source], (name) => /\.[cm]?js$/.test(name))), own],
    versions: `${await lockedVersions()} ${isPackaged() ? '' : process.version} ${process.platform}`,
    outputs: [output],
    stamp: path.join(here, 'generated/guest.hash'),
    async build() {
      const { build } = await import('esbuild')
      const result = await build(options(await readNodeConstants()))
      await replaceFile(output, result.outputFiles[0].contents)
    },
  })
}

function options(constants) {
  return {
    entryPoints: [path.join(source, 'main.js')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    // Class names are part of the replacements for Node's classes.
    keepNames: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    plugins: [standIns(), nodeConstants(constants)],
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.NODE_DEBUG': '""',
      // readable-stream uses Node's own stream when this is "disable".
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

/** The module `node-constants`. */
function nodeConstants(constants) {
  return {
    name: 'node-constants',
    setup(build) {
      build.onResolve({ filter: /^node-constants$/ }, ({ path: asked }) => ({
        path: asked,
        namespace: 'node-constants',
      }))
      build.onLoad({ filter: /.*/, namespace: 'node-constants' }, () => ({
        contents: constants,
        loader: 'json',
      }))
    },
  }
}

/**
 * The numbers and names of the Node that runs the service, as JSON: this program may run on another one, and the guest script
 * must not depend on who builds it.
 */
async function readNodeConstants() {
  const node = isPackaged() ? packagedNode : process.execPath
  const { stdout } = await promisify(execFile)(node, ['--input-type=module', '--eval', PRINT], {
    env: {},
  })
  return stdout
}

const PRINT = `
  import dns from 'node:dns'
  import fs from 'node:fs'
  import http2 from 'node:http2'
  import os from 'node:os'
  import util from 'node:util'
  import zlib from 'node:zlib'
  const isConstant = ([, value]) => ['string', 'number'].includes(typeof value)
  process.stdout.write(JSON.stringify({
    dns: Object.fromEntries(Object.entries(dns).filter(isConstant)),
    fs: fs.constants,
    http2: http2.constants,
    os: os.constants,
    systemErrors: [...util.getSystemErrorMap()],
    zlib: zlib.constants,
  }))`

const packagedNode = path.join(here, '../../node_modules/.bin/node')

/** Its version is in the lockfile. */
function isPackaged() {
  return existsSync(packagedNode)
}

/** The guest's packages with their locked versions; their dependencies are pinned by the same file. */
async function lockedVersions() {
  const wanted = JSON.parse(await readFile(path.join(here, 'package.json'), 'utf8')).dependencies
  const lock = await readFile(path.join(here, '../../package-lock.json'), 'utf8').catch(() => '')
  return JSON.stringify(wanted) + createHash('sha256').update(lock).digest('hex')
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildGuest()
