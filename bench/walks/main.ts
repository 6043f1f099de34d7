import path from 'node:path'
import { parseArgs } from 'node:util'
import { measureHouse } from './measure-house.ts'
import { traceModules } from './trace-modules.ts'

const { values } = parseArgs({ options: { paths: { type: 'boolean', default: false } } })

/** A reader should not have to walk further. */
const LIMITS: Readonly<Record<string, { readonly files: number; readonly returns: number }>> = {
  'GET account': { files: 4, returns: 1 },
  'create account through link': { files: 15, returns: 16 },
  'POST form of the connect page': { files: 31, returns: 56 },
  'OAuth callback': { files: 29, returns: 50 },
}

// Before the server is loaded.
traceModules()
const { recordWalks } = await import('./record-walks.ts')
const walks = await recordWalks()
console.log('| request | files | functions | hops | returns |\n|---|---|---|---|---|')
for (const [name, { files, functions, hops, returns }] of walks)
  console.log(`| ${name} | ${files} | ${functions} | ${hops} | ${returns} |`)
console.log('\n| of the project | figure |\n|---|---|')
for (const { name, value } of await measureHouse(path.resolve(import.meta.dirname, '../..')))
  console.log(`| ${name} | ${value} |`)
for (const [name, { files, returns }] of walks) {
  const limit = LIMITS[name]
  if (limit === undefined || (files <= limit.files && returns <= limit.returns)) continue
  console.error(`${name}: more than ${limit.files} files or ${limit.returns} returns`)
  process.exitCode = 1
}
if (values.paths)
  for (const [name, { path }] of walks) console.log(`\n${name}: ${path.join(' > ')}`)
