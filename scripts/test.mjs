// Runs the tests under the pinned Node, after the programs that they need from outside were looked for.
// Usage: npm test [-- files or flags of `node --test`]
import { spawn } from 'node:child_process'
import path from 'node:path'
import { ensurePrograms } from './programs.mjs'

// Hundreds of processes load the same modules: compiling each once spares half of what a start costs.
const CACHE = process.env.NODE_COMPILE_CACHE ?? path.resolve('node_modules/.cache/node')

const given = process.argv.slice(2)
const patterns = given.some((argument) => !argument.startsWith('-'))
  ? []
  : ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts']

ensurePrograms()
const runner = spawn(
  process.execPath,
  ['--test', '--test-concurrency=3', '--test-timeout=900000', ...given, ...patterns],
  { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, NODE_COMPILE_CACHE: CACHE } },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal))
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
