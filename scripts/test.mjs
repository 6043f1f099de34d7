// Runs the tests under the pinned Node, after the programs that they need from outside were looked for.
// Usage: npm test [-- files or flags of `node --test`]
import { spawn } from 'node:child_process'
import { ensurePrograms } from './programs.mjs'

const given = process.argv.slice(2)
const patterns = given.some((argument) => !argument.startsWith('-'))
  ? []
  : ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts']

ensurePrograms()
const runner = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=900000', ...given, ...patterns],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal))
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
