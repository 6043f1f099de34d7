// Lint, types, the direction of imports, and the word list, side by side. The tests are `npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

const steps = [
  ['lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['types', 'tsc', ['-p', '.']],
  ['types of browser code', 'tsc', ['-p', 'tsconfig.browser.json']],
  ['imports', process.execPath, ['scripts/check-imports.ts']],
  ['words', process.execPath, ['scripts/check-words.ts']],
  ['evidence', process.execPath, ['--no-warnings', 'packages/catalogue/check.ts']],
]
const results = await Promise.all(steps.map(runStep))
for (const { name, output } of results) console.log(`— ${name}\n${output.trim()}`)
const failed = results.filter(({ code }) => code !== 0).map(({ name }) => name)
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)

async function runStep([name, program, args]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { name, code, output: stdout + stderr }
}
