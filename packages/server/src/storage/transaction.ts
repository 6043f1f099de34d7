import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The database inside a transaction: handed on to stores, of no use after the transaction. */
export type Transaction = Kysely<Tables>
