/**
 * The one-way street as a check.
 *
 * 1. In the server, a folder may import only folders to its right; in every package nothing imports in a circle.
 * 2. Between packages: server > catalogue > kit > runner. Examples, bench and tests may import any.
 * 3. One door each: only the gate opens sockets, only storage and stores speak SQL, only config reads the environment.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { LAYERS } from './layers.ts'

const IMPORT_RULES = [
  {
    rule: 'only the gate, and pages in browsers, may open connections',
    pattern:
      /^import (?!type)[^'"]*from '(?:undici|node:https?|node:net|node:tls|node:dns)'|(?<![.\w])fetch\(/m,
    allowed:
      /^packages\/runner\/src\/(?:(?:egress|guest)\/|sandbox\/channel\.ts$)|^packages\/server\/src\/connect-page\/client\/|\.test\.ts$|\/test\//,
  },
  {
    rule: 'only storage and stores may speak SQL',
    pattern: /from '(?:kysely(?:\/migration)?|pg|node:sqlite)'/,
    allowed:
      /^packages\/server\/(?:migrations\/|src\/storage\/|src\/vault\/)|-store\.ts$|\.test\.ts$|\/test\//,
  },
  {
    rule: 'only main and cli may hand over the environment',
    pattern: /process\.env\b/,
    allowed:
      /^packages\/server\/src\/(?:main|cli)\.ts$|^packages\/runner\/src\/guest\/|\.test\.ts$|\/test\//,
  },
]

const files = globSync('packages/*/{src,migrations}/**/*.ts')
const importsByFile = new Map(files.map((file) => [file, listRelativeImports(file)]))
const violations = [
  ...files.flatMap(findLayerViolations),
  ...files.flatMap(findRuleViolations),
  ...findCycles(),
]
for (const violation of violations) console.error(violation)
if (files.length === 0) console.error('no source files were found')
console.log(`${files.length} files, ${violations.length} faults`)
process.exit(violations.length > 0 || files.length === 0 ? 1 : 0)

function listRelativeImports(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const found = [...source.matchAll(/^(?:import|export)\s(?!type\b)[^'"]*?from\s+'(\.[^']+)'/gms)]
  return found.map((match) => path.join(path.dirname(file), match[1] ?? ''))
}

function getLayer(file: string): number | undefined {
  const name = /^packages\/server\/src\/([^/.]+)/.exec(file)?.[1]
  if (name === undefined) return undefined
  const index = LAYERS.findIndex((names) => names.includes(name))
  return index === -1 ? undefined : index
}

function findLayerViolations(file: string): string[] {
  if (/\.test\.ts$|\/test\//.test(file)) return []
  const from = getLayer(file)
  if (file.startsWith('packages/server/src/') && from === undefined)
    return [`${file}: its folder has no place on the street`]
  return (importsByFile.get(file) ?? [])
    .filter((target) => {
      const to = getLayer(target)
      return from !== undefined && to !== undefined && to < from
    })
    .map((target) => `${file}: imports ${target}, which stands to its left`)
}

function findRuleViolations(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  return IMPORT_RULES.filter(
    ({ pattern, allowed }) => !allowed.test(file) && pattern.test(source),
  ).map(({ rule }) => `${file}: ${rule}`)
}

function findCycles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, ancestors: string[]): void => {
    if (ancestors.includes(file))
      found.push(`circle: ${[...ancestors.slice(ancestors.indexOf(file)), file].join(' > ')}`)
    if (done.has(file) || ancestors.includes(file)) return
    for (const target of importsByFile.get(file) ?? []) visit(target, [...ancestors, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}
