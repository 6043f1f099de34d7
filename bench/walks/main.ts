import { parseArgs } from 'node:util'
import { traceModules } from './trace-modules.ts'

const { values } = parseArgs({ options: { paths: { type: 'boolean', default: false } } })

// Before the server is loaded.
traceModules()
const { recordWalks } = await import('./record-walks.ts')
const walks = await recordWalks()
console.log('| request | files | functions | hops | returns |\n|---|---|---|---|---|')
for (const [name, { files, functions, hops, returns }] of walks)
  console.log(`| ${name} | ${files} | ${functions} | ${hops} | ${returns} |`)
if (values.paths)
  for (const [name, { path }] of walks) console.log(`\n${name}: ${path.join(' > ')}`)
