// Writes what collected facts say about an integration: node packages/catalogue/propose.ts <key> [facts.jsonl]
import { fileURLToPath } from 'node:url'
import { readCollectedFacts } from './src/evidence/collected-facts.ts'
import { propose } from './src/evidence/propose.ts'

const DEFAULT_FACTS = fileURLToPath(
  new URL('../../../shared/data/provider-facts.jsonl', import.meta.url),
)
const [key = '', file = DEFAULT_FACTS] = process.argv.slice(2)
const today = new Date().toISOString().slice(0, 10)
console.log(await propose(key, await readCollectedFacts(file), today))
