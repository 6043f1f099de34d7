/**
 * Loaded into a service with `--import`: a request with the header `x-kill-before: n` kills the process before its nth write,
 * counted from the arrival of the request: statements of SQLite or PostgreSQL that change something, or end such a
 * transaction, and at last the response. Without a kill, the header `x-writes` of the response has their number.
 */

import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'

let killBefore: number | undefined
let writes = 0
let hasWritten = false

const countWrite = () => {
  if (killBefore === undefined) return
  writes += 1
  if (writes === killBefore) process.kill(process.pid, 'SIGKILL')
}

wrap(DatabaseSync.prototype, 'exec', ([sql]) => {
  if (isWrite(String(sql))) countWrite()
})
for (const name of ['run', 'get', 'all'])
  wrap(StatementSync.prototype, name, (_args, statement) => {
    if (isWrite((statement as StatementSync).sourceSQL)) countWrite()
  })
wrap(pg.Client.prototype, 'query', ([query]) => {
  const sql = typeof query === 'string' ? query : (query as pg.QueryConfig).text
  if (isWrite(String(sql))) countWrite()
})
wrap(Server.prototype, 'emit', ([event, request, response]) => {
  if (event !== 'request') return
  const header = (request as IncomingMessage).headers['x-kill-before']
  if (header === undefined) return
  killBefore = Number(header)
  writes = 0
  const answer = response as ServerResponse
  const { writeHead } = answer
  answer.writeHead = (...args: unknown[]) => {
    countWrite()
    answer.setHeader('x-writes', writes)
    killBefore = undefined
    return Reflect.apply(writeHead, answer, args)
  }
})

/** Whether a statement writes, or ends a transaction that has written, apart from what the service does in the background. */
function isWrite(sql: string): boolean {
  const [, word = ''] = /^\s*(\w+)/.exec(sql.toLowerCase()) ?? []
  if (word === 'begin') hasWritten = false
  const isData = ['insert', 'update', 'delete', 'with'].includes(word) && !BACKGROUND.test(sql)
  hasWritten ||= isData
  return isData || (hasWritten && ['release', 'commit'].includes(word))
}

/** Numbering events, chaining the audit trail, and counting visitors would move the places of the kills. */
const BACKGROUND =
  /event_sequences|update "events"|audit_chains|audit_events|delete from audit_inbox|link_counters/

function wrap(
  prototype: object,
  name: string,
  before: (args: readonly unknown[], self: unknown) => void,
): void {
  const original = Reflect.get(prototype, name)
  Reflect.set(prototype, name, function wrapped(this: unknown, ...args: unknown[]) {
    before(args, this)
    return Reflect.apply(original, this, args)
  })
}
