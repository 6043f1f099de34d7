import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  DeleteQueryBuilder,
  InsertQueryBuilder,
  OnConflictUpdateBuilder,
  QueryCreator,
  sql,
  UpdateQueryBuilder,
} from 'kysely'
import type { Database } from '../../src/platform/storage/database.ts'

/** The source of the service. Only stores contain queries: `npm run check` makes sure of it. */
const SOURCE = path.join(import.meta.dirname, '../../src/')

const STARTS = ['deleteFrom', 'selectFrom', 'updateTable'] as const
const CLAUSES = [
  'innerJoin',
  'leftJoin',
  'limit',
  'offset',
  'orderBy',
  'where',
  'whereRef',
] as const

/** Records the queries that this process builds from now on: their SQL, and which calls in the source built them. */
export function recordQueries(database: Database) {
  const statements = new Set<string>()
  const callSites = new Set<string>()
  const restores: (() => void)[] = []
  const wrap = (prototype: object, name: string, onCall: (result: unknown) => void) => {
    const original = Reflect.get(prototype, name)
    if (typeof original !== 'function') return
    Reflect.set(prototype, name, function wrapper(this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args)
      onCall(result)
      return result
    })
    restores.push(() => Reflect.set(prototype, name, original))
  }
  const addCallSite = () => {
    const site = findCallSite()
    if (site !== undefined) callSites.add(site)
  }
  const select: object = Object.getPrototypeOf(database.read.selectFrom('users'))
  const builders = [select, UpdateQueryBuilder.prototype, DeleteQueryBuilder.prototype]
  for (const prototype of [...builders, OnConflictUpdateBuilder.prototype])
    for (const name of CLAUSES) wrap(prototype, name, addCallSite)
  for (const name of STARTS) wrap(QueryCreator.prototype, name, addCallSite)
  // Background work of other tests of this process uses other databases.
  const foreignParameter = database.dialect === 'sqlite' ? /\$\d/ : /\?/
  const rawSql: object = Object.getPrototypeOf(sql``)
  for (const prototype of [...builders, InsertQueryBuilder.prototype, rawSql])
    wrap(prototype, 'compile', (query) => {
      const statement = (query as { sql: string }).sql
      if (!foreignParameter.test(statement)) statements.add(statement)
    })
  return {
    statements: statements as ReadonlySet<string>,
    /** The calls in the source that build queries and have not run. */
    findUnusedCalls: () => listCalls().filter((site) => !callSites.has(site)),
    stop() {
      for (const restore of restores) restore()
    },
  }
}

export type QueryRecorder = ReturnType<typeof recordQueries>

/** The caller of the method that was wrapped, if it is in the source. */
function findCallSite(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 4
  const [, , , , frame = ''] = new Error().stack?.split('\n') ?? []
  Error.stackTraceLimit = stackTraceLimit
  const at = frame.lastIndexOf(SOURCE)
  return at === -1 ? undefined : frame.slice(at + SOURCE.length).replace(/\)$/, '')
}

/** Every call in the source that builds a part of a query. Positions are as V8 reports them: type stripping keeps them. */
function listCalls(): string[] {
  return globSync('**/*-store.ts', { cwd: SOURCE }).flatMap((file) => {
    const source = readFileSync(path.join(SOURCE, file), 'utf8')
    return [...source.matchAll(CALL)].map(({ index, 0: text }) => {
      const before = source.slice(0, index + text.indexOf('.') + 1).split('\n')
      return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
    })
  })
}

// Expression builders, which only start subqueries, make no prototype accessible: their clauses are recorded.
const CALL = new RegExp(
  `(?:(?<!\\b(?:eb|more)\\s*)\\.(?:${STARTS.join('|')})|\\.(?:${CLAUSES.join('|')}))\\(`,
  'g',
)
