// Lint, types, the direction of imports, and the word list. The tests are `npm test`.
import { spawnSync } from 'node:child_process'

const steps = [
  ['lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['types', 'tsc', ['-p', '.']],
  ['types of browser code', 'tsc', ['-p', 'tsconfig.browser.json']],
  ['imports', process.execPath, ['scripts/check-imports.ts']],
  ['words', process.execPath, ['scripts/check-words.ts']],
]
const failed = steps.filter(([name, program, args]) => {
  console.log(`— ${name}`)
  return spawnSync(program, args, { stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) console.error(`failed: ${failed.map(([name]) => name).join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
