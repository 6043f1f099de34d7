/**
 * The one-way street as a check.
 *
 * 1. In the server, a folder may import only folders to its right; in every package nothing imports in a circle.
 * 2. Between packages: server > catalogue > kit > runner. Examples, bench and tests may import any.
 * 3. One door each: only the gate opens sockets, only storage and stores speak SQL, only config reads the environment.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { STREET } from './street.ts'

const DOORS = [
  {
    rule: 'only the gate, and pages in browsers, may open connections',
    what: /^import (?!type)[^'"]*from '(?:undici|node:https?|node:net|node:tls|node:dns)'|(?<![.\w])fetch\(/m,
    allowed:
      /^packages\/runner\/src\/(?:(?:egress|guest)\/|sandbox\/channel\.ts$)|^packages\/server\/src\/link-page\/browser\/|\.test\.ts$|\/test\//,
  },
  {
    rule: 'only storage and stores may speak SQL',
    what: /from '(?:kysely(?:\/migration)?|pg|node:sqlite)'/,
    allowed:
      /^packages\/server\/(?:migrations\/|src\/storage\/|src\/vault\/)|-store\.ts$|\.test\.ts$|\/test\//,
  },
  {
    rule: 'only main and cli may hand over the environment',
    what: /process\.env\b/,
    allowed:
      /^packages\/server\/src\/(?:main|cli)\.ts$|^packages\/runner\/src\/guest\/|\.test\.ts$|\/test\//,
  },
]

const files = globSync('packages/*/{src,migrations}/**/*.ts')
const importsOf = new Map(files.map((file) => [file, relativeImports(file)]))
const faults = [...files.flatMap(streetFaults), ...files.flatMap(doorFaults), ...circles()]
for (const fault of faults) console.error(fault)
if (files.length === 0) console.error('no source files were found')
console.log(`${files.length} files, ${faults.length} faults`)
process.exit(faults.length > 0 || files.length === 0 ? 1 : 0)

function relativeImports(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const found = [...source.matchAll(/^(?:import|export)\s(?!type\b)[^'"]*?from\s+'(\.[^']+)'/gms)]
  return found.map((match) => path.join(path.dirname(file), match[1] ?? ''))
}

function place(file: string): number | undefined {
  const name = /^packages\/server\/src\/([^/.]+)/.exec(file)?.[1]
  if (name === undefined) return undefined
  const index = STREET.findIndex((names) => names.includes(name))
  return index === -1 ? undefined : index
}

function streetFaults(file: string): string[] {
  if (/\.test\.ts$|\/test\//.test(file)) return []
  const from = place(file)
  if (file.startsWith('packages/server/src/') && from === undefined)
    return [`${file}: its folder has no place on the street`]
  return (importsOf.get(file) ?? [])
    .filter((target) => {
      const to = place(target)
      return from !== undefined && to !== undefined && to < from
    })
    .map((target) => `${file}: imports ${target}, which stands to its left`)
}

function doorFaults(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  return DOORS.filter(({ what, allowed }) => !allowed.test(file) && what.test(source)).map(
    ({ rule }) => `${file}: ${rule}`,
  )
}

function circles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file))
      found.push(`circle: ${[...trail.slice(trail.indexOf(file)), file].join(' > ')}`)
    if (done.has(file) || trail.includes(file)) return
    for (const target of importsOf.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}
