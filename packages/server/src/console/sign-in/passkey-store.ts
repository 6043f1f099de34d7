import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { PasskeyRow } from '../../platform/storage/tables.ts'

/** A public key with which a person signs in. */
export interface Passkey {
  readonly passkeyId: Id<'psk'>
  readonly userId: Id<'usr'>
  /** Of the authenticator, in base64url. */
  readonly credentialId: string
  /** COSE. */
  readonly publicKey: Uint8Array
  /** The authenticator's count of signatures; 0 if it has none. */
  readonly counter: number
  /** How browsers reach it. */
  readonly transports: readonly string[]
  /** What the person calls it. */
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** The passkeys of all people. */
export function createPasskeyStore(database: Database) {
  return {
    /** Whether there is any: of this person, if one is named. */
    async exists(userId?: Id<'usr'>): Promise<boolean> {
      const query = database.read.selectFrom('passkeys').select('passkey_id').limit(1)
      const row = await (userId === undefined
        ? query
        : query.where('user_id', '=', userId)
      ).executeTakeFirst()
      return row !== undefined
    },

    /** Whether a passkey has not been removed, in a transaction. */
    async has(trx: Transaction, passkeyId: Id<'psk'>): Promise<boolean> {
      const row = await trx
        .selectFrom('passkeys')
        .select('passkey_id')
        .where('passkey_id', '=', passkeyId)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Those of a person, oldest first. */
    async list(userId: Id<'usr'>): Promise<Passkey[]> {
      const rows = await database.read
        .selectFrom('passkeys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .limit(MAX_PASSKEYS)
        .execute()
      return rows.map(toPasskey)
    },

    async findByCredential(credentialId: string): Promise<Passkey | undefined> {
      const row = await database.read
        .selectFrom('passkeys')
        .selectAll()
        .where('credential_id', '=', credentialId)
        .executeTakeFirst()
      return row && toPasskey(row)
    },

    /** How many a person has, in a transaction. */
    async count(trx: Transaction, userId: Id<'usr'>): Promise<number> {
      const rows = await trx
        .selectFrom('passkeys')
        .select('passkey_id')
        .where('user_id', '=', userId)
        .limit(MAX_PASSKEYS)
        .execute()
      return rows.length
    },

    /** Returns false if the credential is known already. */
    async insert(trx: Transaction, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean> {
      const row = await trx
        .insertInto('passkeys')
        .values({
          passkey_id: passkey.passkeyId,
          credential_id: passkey.credentialId,
          user_id: passkey.userId,
          public_key: passkey.publicKey,
          counter: passkey.counter,
          transports: passkey.transports.join(' '),
          name: passkey.name,
          created_at: passkey.createdAt,
          last_used_at: null,
        })
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning('passkey_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * Stores a use. Returns false if the passkey is gone, or if its counter has not increased, although it has one: then there are
     * two authenticators with the same key.
     */
    async use(
      trx: Transaction,
      { passkeyId, counter }: Pick<Passkey, 'passkeyId' | 'counter'>,
      now: number,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('passkeys')
        .set({ counter, last_used_at: now })
        .where('passkey_id', '=', passkeyId)
        .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
        .returning('passkey_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Renames a passkey of this person. Returns false if there is none with this ID. */
    async rename(
      trx: Transaction,
      { passkeyId, userId, name }: Pick<Passkey, 'passkeyId' | 'userId' | 'name'>,
    ): Promise<boolean> {
      const row = await trx
        .updateTable('passkeys')
        .set({ name })
        .where('passkey_id', '=', passkeyId)
        .where('user_id', '=', userId)
        .returning('passkey_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Deletes a passkey of this person. Returns its name; undefined if there is none with this ID. */
    async delete(
      trx: Transaction,
      { passkeyId, userId }: Pick<Passkey, 'passkeyId' | 'userId'>,
    ): Promise<string | undefined> {
      const row = await trx
        .deleteFrom('passkeys')
        .where('passkey_id', '=', passkeyId)
        .where('user_id', '=', userId)
        .returning('name')
        .executeTakeFirst()
      return row?.name
    },
  }
}

export type PasskeyStore = ReturnType<typeof createPasskeyStore>

/** How many passkeys a person can have. */
export const MAX_PASSKEYS = 20

function toPasskey(row: PasskeyRow): Passkey {
  return {
    passkeyId: row.passkey_id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports === '' ? [] : row.transports.split(' '),
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
