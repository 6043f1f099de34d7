// Adds a source to the evidence of an integration: see src/evidence/cite.ts.
import { cite } from './src/evidence/cite.ts'

console.log(await cite(process.argv.slice(2), new Date().toISOString().slice(0, 10)))
