// Makes a clone ready to run: installs what is missing and builds the generated scripts whose inputs changed.
// Plain JavaScript without dependencies: the first run happens under whatever Node (20 or later) is on the PATH.
// Usage: node scripts/prepare.mjs [--dev]   (--dev: development packages too)
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const marker = path.join(root, 'node_modules', '.linchpin-installed.json')
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const wantsDev = process.argv.includes('--dev')

await onlyOne(install)
requireModernNode()
const { buildGuest } = await import('../packages/runner/build-guest.mjs')
await buildGuest()
const { buildBrowser } = await import('../packages/server/build-browser.mjs')
await buildBrowser()
const { buildCatalogue } = await import('../packages/catalogue/build-catalogue.mjs')
await buildCatalogue()

function install() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
  const installed = readMarker()
  if (installed.lock === lock && (installed.dev || !wantsDev)) return
  const dev = wantsDev || Boolean(installed.dev)
  // Development packages are added to what is there: a server that runs keeps the files it runs from.
  const words = installed.lock === lock ? ['install', '--no-save'] : ['ci']
  const args = [...words, dev ? '--include=dev' : '--omit=dev', ...QUIET]
  // Standard output stays clean for commands whose answer is read by scripts.
  console.error(`Installing packages (npm ${args.slice(0, -QUIET.length).join(' ')}) …`)
  const npm = process.env.npm_execpath
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) {
    console.error('Linchpin could not install its packages. The lines above say why.')
    process.exitCode = done.status ?? 1
    throw new Error('npm failed')
  }
  writeFileSync(marker, JSON.stringify({ lock, dev }))
}

// Two commands in a fresh clone must not install over each other.
async function onlyOne(work) {
  const held = path.join(root, '.prepare.lock')
  for (;;) {
    try {
      writeFileSync(held, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (isAbandoned(held)) rmSync(held, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    work()
  } catch (error) {
    if (!process.exitCode) throw error
    process.exit()
  } finally {
    rmSync(held, { force: true })
  }
}

function isAbandoned(held) {
  try {
    process.kill(Number(readFileSync(held, 'utf8')), 0)
    return false
  } catch (error) {
    // Not ours to signal: somebody else's, and alive.
    return error.code !== 'EPERM'
  }
}

function readMarker() {
  try {
    return JSON.parse(readFileSync(marker, 'utf8'))
  } catch {
    return {}
  }
}

// `npm run` puts node_modules/.bin first, so the pinned Node is found there where its package exists.
function requireModernNode() {
  if (existsSync(path.join(root, 'node_modules', '.bin', 'node'))) return
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  console.error(
    `Linchpin needs Node 24.15 or later; this is ${process.version}, and there is no packaged Node for ${process.platform}-${process.arch}. Install Node 24 and try again.`,
  )
  process.exit(78)
}
