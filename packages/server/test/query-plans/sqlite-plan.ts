import { DatabaseSync } from 'node:sqlite'
import { isWalk } from './large-tables.ts'

/** Explains statements on a SQLite file, which has no statistics, as in production. */
export function createSqliteExplainer(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  return {
    /** The first step that may read a whole workspace or table; `undefined` if there is none. */
    async findWalk(sql: string): Promise<string | undefined> {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      const details = rows.map(({ detail }) => detail)
      const needsAllRows = details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'))
      const canStop = /\blimit\b/i.test(sql) && !needsAllRows
      const tables = readAliases(sql)
      return details.find((detail) => {
        const [, kind, name = '', index] =
          /^(SCAN|SEARCH) (\w+)(?: EXISTS)?(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? []
        if (kind === undefined || (canStop && index !== undefined)) return false
        const columns = [...detail.matchAll(/(\w+)[=<>]/g)].map(([, column = '']) => column)
        return isWalk(tables.get(name) ?? name, columns)
      })
    },
    close: async () => database.close(),
  }
}

/** The table of each alias in a statement. */
function readAliases(sql: string): ReadonlyMap<string, string> {
  const matches = sql.matchAll(/"?(\w+)"? as "?(\w+)"?/g)
  return new Map([...matches].map(([, table = '', alias = '']) => [alias, table]))
}
