import { createHash } from 'node:crypto'
import type { QueryResult } from 'kysely'
import type pg from 'pg'
import { isStalePlan } from '../storage-error.ts'
import { runQuery } from './postgres-pool.ts'

/** Runs statements of this process under names, by which each connection parses and plans them once. */
export interface Statements {
  /**
   * Runs one statement on a connection. If a migration has changed what the statement returns, it fails, and has another name
   * from then on, under which every connection prepares it again.
   *
   * @throws {StorageError} for which `isStalePlan` is true in that case
   */
  run(
    client: pg.ClientBase,
    text: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<unknown>>
}

/** A connection holds a plan for each name, also for replaced ones, until it ends: both numbers limit the server's memory. */
interface NameLimits {
  readonly statements: number
  readonly names: number
}

/** Names the first statements it sees. All others have a plan for each execution, which never becomes stale. */
export function createStatements(limits: NameLimits = NAME_LIMITS): Statements {
  const names = createNames(limits)
  return {
    async run(client, text, parameters) {
      const values = [...parameters]
      const name = names.find(text)
      if (name === undefined) return runQuery(client, { text, values })
      try {
        return await runQuery(client, { name, text, values })
      } catch (error) {
        if (isStalePlan(error)) names.replace(text, name)
        throw error
      }
    },
  }
}

/** Runs `run` again, at once, while a statement in it had a stale plan. @throws what `run` throws */
export async function retryStalePlans<T>(run: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isStalePlan(error) || count === MAX_ATTEMPTS) throw error
    }
  }
}

/** An attempt of a transaction ends at its first stale statement, which is not stale in the next one. */
const MAX_ATTEMPTS = 20

const NAME_LIMITS: NameLimits = { statements: 500, names: 1_000 }
/** Behind a pooler, where the next statement may run on another connection of the server. */
export const NO_NAMES: NameLimits = { statements: 0, names: 0 }

function createNames(limits: NameLimits) {
  const names = new Map<string, string>()
  let count = 0
  const add = (text: string, name: string) => {
    count += 1
    names.set(text, name)
    return name
  }
  return {
    /** Undefined once there are too many. */
    find(text: string): string | undefined {
      const name = names.get(text)
      if (name !== undefined || count >= limits.statements) return name
      return add(text, hashName(text))
    },
    /** Does nothing if another execution has replaced this name. */
    replace(text: string, name: string): void {
      if (names.get(text) !== name) return
      names.delete(text)
      if (count < limits.names) add(text, `${hashName(text)}_${count}`)
    },
  }
}

const hashName = (text: string) =>
  `linchpin_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
