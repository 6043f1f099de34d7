#!/usr/bin/env node
// In a clone the program runs from its sources, which need the Node that the clone includes. The package has a bundle instead.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const installedNode = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))

if (major > 24 || (major === 24 && minor >= 15)) await import('../src/main.ts')
else if (existsSync(installedNode)) runWithInstalledNode(installedNode)
else {
  console.error(`In a clone, linchpin needs Node 24.15 or later; this is ${process.version}.`)
  process.exitCode = 78
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
