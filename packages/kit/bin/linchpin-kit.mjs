#!/usr/bin/env node
// Plain JavaScript, for whatever Node is on the PATH: the sources need Node 24, which a clone brings along on Linux.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const brought = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))

if (major > 24 || (major === 24 && minor >= 15)) await run()
else if (existsSync(brought)) handOn(brought)
else {
  console.error(`linchpin-kit needs Node 24.15 or later; this is ${process.version}.`)
  process.exitCode = 78
}

async function run() {
  // npm starts scripts in the root of the clone: paths mean the folder in which somebody typed them.
  const { npm_package_name, npm_lifecycle_event, INIT_CWD } = process.env
  if (npm_package_name === 'linchpin' && npm_lifecycle_event === 'kit' && INIT_CWD)
    process.chdir(INIT_CWD)
  // Whoever reads may stop reading, as `head` does.
  process.stdout.on('error', () => process.exit())
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
  })
}

function handOn(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal tells both of Ctrl-C.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
