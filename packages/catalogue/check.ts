// Checks the evidence of every entry of the catalogue: a part of `npm run check`.
import { DEFAULT_FOLDERS, listSources } from './src/build/catalogue-folders.ts'
import { checkEvidence } from './src/evidence/check-evidence.ts'
import { readEntryFile, readEvidence } from './src/evidence/evidence-files.ts'

let facts = 0
let entries = 0
const problems: string[] = []
for (const { key } of listSources(DEFAULT_FOLDERS)) {
  const entry = await readEntryFile(key)
  if (entry === undefined) continue
  const rows = await readEvidence(key)
  facts += rows.length
  entries += 1
  problems.push(...checkEvidence(entry, rows).map((problem) => `${key}: ${problem}`))
}
for (const problem of problems) console.log(problem)
console.log(`${entries} entries, ${facts} facts, ${problems.length} without proof`)
process.exitCode = problems.length === 0 ? 0 : 1
