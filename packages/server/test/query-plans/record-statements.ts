/**
 * A preload (`node --import`) that records the SQL statements of this process, on both databases, and writes them to a
 * file in the folder `LINCHPIN_RECORDED_STATEMENTS` when the process ends. `query-plans.test.ts` reads them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

export interface RecordedStatements {
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}

const folder = process.env.LINCHPIN_RECORDED_STATEMENTS
if (folder !== undefined) record(folder)

function record(target: string): void {
  const sqlite = new Set<string>()
  const postgres = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args) {
    sqlite.add(args[0])
    return prepare.apply(this, args)
  }
  const { query } = pg.Client.prototype
  const recordQuery = function (this: pg.Client, ...args: [string | { text: string }]) {
    postgres.add(typeof args[0] === 'string' ? args[0] : args[0].text)
    return Reflect.apply(query, this, args)
  }
  pg.Client.prototype.query = recordQuery as typeof query
  process.on('exit', () => {
    mkdirSync(target, { recursive: true })
    const statements: RecordedStatements = { sqlite: [...sqlite], postgres: [...postgres] }
    writeFileSync(`${target}/${process.pid}.json`, JSON.stringify(statements))
  })
}
