import { constants, DatabaseSync } from 'node:sqlite'
import { isWalk } from './large-tables.ts'

interface PlanStep {
  /** The step that this one is a part of, such as a subquery. */
  readonly parent: number
  readonly detail: string
}

/** Explains statements on a SQLite file, which has no statistics, as in production. */
export function createSqliteExplainer(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  return {
    /** The first step that may read a whole workspace or table; `undefined` if there is none. */
    async findWalk(sql: string): Promise<string | undefined> {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as PlanStep[]
      const tables = readAliases(sql)
      const walk = steps.find(({ detail, parent }) => {
        const [, kind, name = '', index] =
          /^(SCAN|SEARCH) (\w+)(?: EXISTS)?(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? []
        const needsAllRows = steps.some(
          (step) => step.parent === parent && step.detail.includes('TEMP B-TREE FOR ORDER BY'),
        )
        const canStop = /\blimit\b/i.test(sql) && !needsAllRows
        if (kind === undefined || (canStop && index !== undefined)) return false
        const columns = [...detail.matchAll(/(\w+)[=<>]/g)].map(([, column = '']) => column)
        return isWalk(tables.get(name) ?? name, columns, index)
      })
      return walk?.detail
    },
    /**
     * Whether SQLite compiles the statement again whenever it runs, which costs more than most of them. It does so if the plan
     * may depend on a parameter: on a limit, or on a value that the condition of a partial index compares with a constant.
     */
    isCompiledEachTime(sql: string): boolean {
      let isCompiling = false
      database.setAuthorizer(() => {
        isCompiling = true
        return constants.SQLITE_OK
      })
      const statement = database.prepare(sql)
      const count = sql.split('?').length - 1
      const run = () => {
        isCompiling = false
        try {
          statement.all(...new Array<number>(count).fill(1))
        } catch {
          // The connection rejects writes when they start, after they have been compiled.
        }
      }
      run()
      run()
      database.setAuthorizer(null)
      return isCompiling
    },
    close: async () => database.close(),
  }
}

/** The table of each alias in a statement. */
function readAliases(sql: string): ReadonlyMap<string, string> {
  const matches = sql.matchAll(/"?(\w+)"? as "?(\w+)"?/g)
  return new Map([...matches].map(([, table = '', alias = '']) => [alias, table]))
}
