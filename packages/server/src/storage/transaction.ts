import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The database inside a transaction. Passed to stores; invalid after the transaction. */
export type Transaction = Kysely<Tables>
