import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Records the statements that this process prepares or sends from now on, on both databases. */
export function recordStatements() {
  const statements = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  const { query } = pg.Client.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args) {
    statements.add(args[0])
    return prepare.apply(this, args)
  }
  const recordQuery = function (this: pg.Client, ...args: [string | { text: string }]) {
    statements.add(typeof args[0] === 'string' ? args[0] : args[0].text)
    return Reflect.apply(query, this, args)
  }
  pg.Client.prototype.query = recordQuery as typeof query
  return {
    statements: statements as ReadonlySet<string>,
    stop() {
      DatabaseSync.prototype.prepare = prepare
      pg.Client.prototype.query = query
    },
  }
}
