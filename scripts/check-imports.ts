/**
 * Checks the direction of imports, `import type` included.
 *
 * 1. An area of the server imports only from areas below it, and a folder of an area only from those below it (`areas.ts`).
 * 2. No files, and no sub-folders of one folder, import one another in a cycle, in any package. Files directly in the
 *    parent folder count as nodes of their own.
 * 3. Only the egress gateway opens connections, only storage and stores use SQL and see rows, only `main` and `cli` read
 *    the environment.
 * 4. The example product imports only what a product outside of this repository can import.
 *
 * Tests may import anything.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AREAS, PROGRAMS } from './areas.ts'
import { findCycles, type Graph } from './find-cycles.ts'

const IMPORT_RULES = [
  {
    rule: 'only the egress gateway, pages in browsers, the client of PostgreSQL, and the SDK in applications may open connections, and only the emulator listens outside of the service',
    pattern:
      /^import (?!type|\{ (?:(?:BlockList|isIP),? )+\})[^'"]*from '(?:undici|node:https?|node:net|node:tls|node:dns)'|(?<![.\w])fetch\(/m,
    allowed:
      /^packages\/runner\/src\/(?:(?:egress|guest)\/|sandbox\/main\.ts$)|^packages\/server\/src\/(?:connect\/connect-page\/client|console\/browser|app\/observability\/documentation\/client|platform\/storage\/postgres)\/|^packages\/sdk\/src\/|^packages\/cli\/src\/main\.ts$|^packages\/emulator\/src\/start-emulator\.ts$|^examples\/product\//,
  },
  {
    rule: 'only storage and stores may use SQL',
    pattern: /from '(?:kysely(?:\/migration)?|pg|node:sqlite)'/,
    allowed: /^packages\/server\/(?:migrations\/|src\/platform\/storage\/)|-store\.ts$/,
  },
  {
    rule: 'only storage and stores may see rows: a store returns and takes domain objects',
    pattern: /from '[^']*\/storage\/(?:tables|rows\/[\w-]+)\.ts'/,
    allowed: /^packages\/server\/(?:migrations|src\/platform\/storage)\/|-store\.ts$/,
  },
  {
    rule: 'the console may import of the areas below it only the preview of the connect page, tokens, scopes, members and what an e-mail may be: everything else is a call of the API',
    pattern:
      /from '(?:\.\.\/)+(?:connect\/(?!connect-page\/render-preview\.ts')|(?:accounts|activity|integrations)\/|access\/(?!auth\/|members\/|users\/user\.ts'))/,
    allowed: /^(?!packages\/server\/src\/console\/)/,
  },
  {
    rule: 'only main and cli may read the environment',
    pattern: /process\.env\b/,
    allowed:
      /^packages\/server\/src\/(?:main|cli)\.ts$|^packages\/cli\/src\/main\.ts$|^packages\/runner\/src\/guest\//,
  },
  {
    rule: 'the page of the example product may import only what it shares with the backend, React and @linchpin/client',
    pattern:
      /from '(?!\.\/|\.\.\/(?:api|customers)\.ts'|react(?:-dom\/client)?'|@linchpin\/client(?:\/react)?')/,
    allowed: /^(?!examples\/product\/web\/)/,
  },
  {
    rule: 'the backend of the example product may import only what it shares with the page, Node, Vite and @linchpin/sdk',
    pattern:
      /from '(?!\.\/|\.\.\/(?:api|customers)\.ts'|node:|vite'|@linchpin\/sdk(?:\/webhooks)?')/,
    allowed: /^(?!examples\/product\/)|^examples\/product\/web\//,
  },
]

const files = globSync([
  'packages/*/{src,migrations}/**/*.ts',
  'examples/product/**/*.{ts,tsx}',
]).filter((file) => !/\.test\.ts$|\/test\/|\/dist\//.test(file))
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const imports = new Map(files.map((file) => [file, listRelativeImports(file)]))
const cycles = [...findFileCycles(), ...findFolderCycles()]
const errors = [
  ...files.flatMap(findLayerErrors),
  ...files.flatMap(findRuleErrors),
  ...cycles.map(({ folder, message }) => `${folder}: ${message}`),
]
if (files.length === 0) errors.push('no source files were found')
for (const error of errors) console.error(error)
console.log(`${files.length} files, ${errors.length} errors`)
process.exit(errors.length > 0 ? 1 : 0)

function listRelativeImports(file: string): ReadonlySet<string> {
  const matches = (sources.get(file) ?? '').matchAll(
    /^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
  )
  const targets = [...matches].map(([, from, dynamic]) =>
    path.join(path.dirname(file), from ?? dynamic ?? ''),
  )
  return new Set(targets.filter((target) => sources.has(target)))
}

/** Where a file of the server stands, counted from the top. */
function getLayer(file: string): number | undefined {
  const [area = '', member = ''] = file
    .slice('packages/server/src/'.length)
    .split('/')
    .map((step) => step.replace(/\.ts$/, ''))
  const isListed = PROGRAMS.includes(area) && member === ''
  const layers = AREAS.flatMap(({ name, members }) =>
    members.map((group) => ({
      name,
      group,
    })),
  )
  const index = layers.findIndex(({ name, group }) => name === area && group.includes(member))
  return isListed ? -1 : index === -1 ? undefined : index
}

function findLayerErrors(file: string): string[] {
  if (!file.startsWith('packages/server/src/')) return []
  const from = getLayer(file)
  if (from === undefined) return [`${file}: its folder is not in scripts/areas.ts`]
  return [...(imports.get(file) ?? [])]
    .filter((target) => {
      const to = target.startsWith('packages/server/src/') ? getLayer(target) : undefined
      return to !== undefined && to < from
    })
    .map((target) => `${file}: must not import ${target}, which is above it in scripts/areas.ts`)
}

function findRuleErrors(file: string): string[] {
  const source = sources.get(file) ?? ''
  return IMPORT_RULES.filter(
    ({ pattern, allowed }) => !allowed.test(file) && pattern.test(source),
  ).map(({ rule }) => `${file}: ${rule}`)
}

interface FoundCycle {
  /** The nearest folder that holds all members of the cycle. */
  readonly folder: string
  readonly message: string
}

function findFileCycles(): FoundCycle[] {
  return findCycles(imports).map(({ path: cycle, group }) => {
    const folder = commonFolder(group)
    return { folder, message: describe('files', folder, cycle, group) }
  })
}

/** Cycles between the sub-folders of each folder that has any. */
function findFolderCycles(): FoundCycle[] {
  const folders = new Set(files.flatMap((file) => listAncestors(file)))
  return [...folders].flatMap((folder) =>
    findCycles(getChildGraph(folder))
      .filter(({ group }) => group.filter((child) => folders.has(child)).length > 1)
      .map(({ path: cycle, group }) => ({
        folder,
        message: describe('folders', folder, cycle, group),
      })),
  )
}

/** The children of a folder, files and folders, and which of them import which. */
function getChildGraph(folder: string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    const from = getChild(folder, file)
    if (from === undefined) continue
    const found = graph.get(from) ?? new Set<string>()
    graph.set(from, found)
    for (const target of targets) {
      const to = getChild(folder, target)
      if (to !== undefined && to !== from) found.add(to)
    }
  }
  return graph
}

function getChild(folder: string, file: string): string | undefined {
  return file.startsWith(`${folder}/`)
    ? path.join(folder, file.slice(folder.length + 1).split('/', 1)[0] ?? '')
    : undefined
}

/** The folders that hold a file, from `packages/<name>/src` down. */
function listAncestors(file: string): string[] {
  const steps = path.dirname(file).split('/')
  return steps.slice(2).map((_, at) => steps.slice(0, at + 3).join('/'))
}

function commonFolder(group: readonly string[]): string {
  const [first = '', ...others] = group
  return (
    listAncestors(first).findLast((folder) =>
      others.every((file) => file.startsWith(`${folder}/`)),
    ) ?? ''
  )
}

function describe(
  kind: string,
  folder: string,
  cycle: readonly string[],
  group: readonly string[],
): string {
  const name = (file: string) => path.relative(folder, file)
  const others = group.filter((file) => !cycle.includes(file)).map(name)
  const groupNote = others.length === 0 ? '' : `, in one group with ${others.join(', ')}`
  return `cycle of ${kind}: ${cycle.map(name).join(' > ')}${groupNote}`
}
