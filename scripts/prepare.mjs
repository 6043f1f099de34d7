// Prepares a clone: installs missing packages and rebuilds the generated files whose inputs have changed. When nothing is
// missing it writes nothing, so a prepared tree may be read-only or belong to another user.
// Plain JavaScript without dependencies: the first run happens under whichever Node (20 or later) is on the PATH.
// Usage: node scripts/prepare.mjs [--dev] [--no-packages]   (--dev: install development packages too; --no-packages: do not pack
// what the service offers for installation, whose sources `npm run generate` is about to write)
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withInstallLock } from './install-lock.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const marker = path.join(root, 'node_modules', '.linchpin-installed.json')
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const installDev = process.argv.includes('--dev')
const lockfileHash = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .digest('hex')

try {
  if (!isInstalled()) {
    const exitCode = await withInstallLock(path.join(root, '.prepare.lock'), install, {
      onWait: () => console.error('Waiting for another command that is installing packages …'),
    })
    if (exitCode !== 0) process.exit(exitCode)
  }
  requireModernNode()
  const { buildGuest } = await import('../packages/runner/build-guest.mjs')
  await buildGuest()
  const { buildEngine } = await import('../packages/runner/build-engine.mjs')
  await buildEngine()
  const { buildBaseImage } = await import('../packages/runner/build-base-image.mjs')
  await buildBaseImage()
  const { buildSandbox } = await import('../packages/runner/build-sandbox.mjs')
  await buildSandbox()
  const { buildBrowser } = await import('../packages/server/build-browser.mjs')
  await buildBrowser()
  const { buildCatalogue } = await import('../packages/catalogue/build-catalogue.mjs')
  await buildCatalogue()
  const { buildProviders } = await import('../packages/emulator/build-providers.mjs')
  await buildProviders()
  const { buildService } = await import('../packages/server/build-service.mjs')
  await buildService()
  if (!process.argv.includes('--no-packages')) {
    const { buildPackages } = await import('./pack/build-packages.mjs')
    await buildPackages()
  }
} catch (error) {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error
  console.error(
    `Linchpin cannot write to its own folder: ${error.message}. Run \`node scripts/prepare.mjs\` once as a user who can; after that the folder may be read-only.`,
  )
  process.exit(78)
}

function isInstalled() {
  const installed = readMarker()
  return installed.lock === lockfileHash && (installed.dev || !installDev)
}

/** Resolves to the exit code of npm. */
async function install() {
  // Another command may have installed everything while this one waited for the lock.
  if (isInstalled()) return 0
  const installed = readMarker()
  const dev = installDev || Boolean(installed.dev)
  // `npm ci` would delete the files of a server that is running; `npm install` only adds the development packages.
  const command = installed.lock === lockfileHash ? ['install', '--no-save'] : ['ci']
  const args = [...command, dev ? '--include=dev' : '--omit=dev']
  // Standard output stays clean: scripts read the output of commands such as `npm run token`.
  console.error(`Installing packages (npm ${args.join(' ')}) …`)
  const npm = process.env.npm_execpath
  const [program, prefix] = npm ? [process.execPath, [npm]] : ['npm', []]
  const child = spawn(program, [...prefix, ...args, ...QUIET], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) {
    console.error('Linchpin could not install its packages. The lines above say why.')
    return exitCode ?? 1
  }
  writeFileSync(marker, JSON.stringify({ lock: lockfileHash, dev }))
  return 0
}

function readMarker() {
  try {
    return JSON.parse(readFileSync(marker, 'utf8'))
  } catch {
    return {}
  }
}

// `npm run` puts node_modules/.bin first on the PATH, so it finds the pinned Node there on platforms that have the package.
function requireModernNode() {
  if (existsSync(path.join(root, 'node_modules', '.bin', 'node'))) return
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  console.error(
    `Linchpin needs Node 24.15 or later; this is ${process.version}, and there is no packaged Node for ${process.platform}-${process.arch}. Install Node 24 and try again.`,
  )
  process.exit(78)
}
