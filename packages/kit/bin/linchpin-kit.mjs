#!/usr/bin/env node
// Plain JavaScript that any Node on the PATH can run: the sources need Node 24, which a clone on Linux includes.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const installedNode = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))

if (major > 24 || (major === 24 && minor >= 15)) await run()
else if (existsSync(installedNode)) runWithInstalledNode(installedNode)
else {
  console.error(`linchpin-kit needs Node 24.15 or later; this is ${process.version}.`)
  process.exitCode = 78
}

async function run() {
  // npm starts scripts in the root of the clone; resolve paths against the folder in which the command was typed.
  const { npm_package_name, npm_lifecycle_event, INIT_CWD } = process.env
  if (npm_package_name === 'linchpin' && npm_lifecycle_event === 'kit' && INIT_CWD)
    process.chdir(INIT_CWD)
  // The reader of a pipe may close it early, like `head`.
  process.stdout.on('error', () => process.exit())
  const { main } = await import('../src/cli/main.ts')
  const output = {
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
  }
  process.exitCode = await main(process.argv.slice(2), output, process.env)
}

function runWithInstalledNode(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both processes.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
