// Checks the evidence of every entry of the catalogue: a part of `npm run check`.
import { DEFAULT_FOLDERS, listSources } from './src/build/catalogue-folders.ts'
import { checkEvidence } from './src/evidence/check-evidence.ts'
import { readEntryFile, readEvidence } from './src/evidence/evidence-files.ts'
import { computeStage } from './src/evidence/stage.ts'

let facts = 0
const stages: string[] = []
const problems: string[] = []
for (const { key } of listSources(DEFAULT_FOLDERS)) {
  const entry = await readEntryFile(key)
  if (entry === undefined) {
    if (key !== 'acme_sandbox') stages.push('code')
    continue
  }
  const rows = await readEvidence(key)
  facts += rows.length
  stages.push(computeStage(entry, rows, Date.now()))
  problems.push(...checkEvidence(entry, rows).map((problem) => `${key}: ${problem}`))
}
for (const problem of problems) console.log(problem)
const counts = [...new Set(stages)]
  .sort()
  .map((stage) => `${stages.filter((each) => each === stage).length} ${stage}`)
console.log(
  `${stages.length} integrations: ${counts.join(', ')}; ${facts} facts, ${problems.length} without proof`,
)
process.exitCode = problems.length === 0 ? 0 : 1
