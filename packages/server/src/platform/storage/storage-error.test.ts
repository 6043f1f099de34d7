import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  isConflict,
  isStalePlan,
  StorageError,
  StorageRefusedError,
  toStorageError,
} from './storage-error.ts'

describe('Errors of the database drivers', () => {
  const getKind = (fields: object, message = 'x') => {
    const mapped = toStorageError(Object.assign(new Error(message), fields))
    return mapped instanceof StorageError ? mapped.kind : undefined
  }

  it('are mapped by result code on SQLite, extended ones too', () => {
    const kinds = {
      5: 'unavailable', // SQLITE_BUSY
      517: 'unavailable', // SQLITE_BUSY_SNAPSHOT
      10: 'fatal', // SQLITE_IOERR
      778: 'fatal', // SQLITE_IOERR_WRITE
      1034: 'fatal', // SQLITE_IOERR_FSYNC
      11: 'corrupt', // SQLITE_CORRUPT
      26: 'corrupt', // SQLITE_NOTADB
      13: 'full', // SQLITE_FULL
      1555: 'unique', // SQLITE_CONSTRAINT_PRIMARYKEY
      2067: 'unique', // SQLITE_CONSTRAINT_UNIQUE
      787: 'reference', // SQLITE_CONSTRAINT_FOREIGNKEY
      1: undefined, // SQLITE_ERROR
    }
    for (const [errcode, kind] of Object.entries(kinds)) {
      assert.equal(getKind({ code: 'ERR_SQLITE_ERROR', errcode: Number(errcode) }), kind, errcode)
    }
  })

  it('are mapped by SQLSTATE or system code on PostgreSQL', () => {
    const kinds = {
      23505: 'unique',
      53100: 'full', // disk_full
      53300: 'unavailable', // too_many_connections
      '57P01': 'unavailable', // admin_shutdown
      '57P03': 'unavailable', // cannot_connect_now
      25006: 'unavailable', // read_only_sql_transaction: a standby
      57014: 'unavailable', // query_canceled: the statement timeout
      '08006': 'unavailable', // connection_failure
      40001: 'unavailable', // serialization_failure
      XX001: 'corrupt', // data_corrupted
      ECONNREFUSED: 'unavailable',
      ECONNRESET: 'unavailable',
      ENOTFOUND: 'unavailable',
      23503: 'reference', // foreign_key_violation
      42601: undefined, // syntax_error
      '28P01': 'unavailable', // invalid_password: it was changed while a node runs
      '3D000': 'unavailable', // invalid_catalog_name
      CERT_HAS_EXPIRED: 'unavailable',
      ERR_TLS_CERT_ALTNAME_INVALID: 'unavailable',
    }
    for (const [code, kind] of Object.entries(kinds)) assert.equal(getKind({ code }), kind, code)
    assert.equal(getKind({}, 'Connection terminated unexpectedly'), 'unavailable')
    assert.equal(getKind({}, 'Query read timeout'), 'unavailable')
  })

  it('are refusals that no restart cures: no TLS, and a password that the URL lacks', () => {
    for (const message of [
      'The server does not support SSL connections',
      'There was an error establishing an SSL connection',
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
    ]) {
      const mapped = toStorageError(new Error(message))
      assert.ok(mapped instanceof StorageRefusedError, message)
      assert.equal((mapped.cause as Error).message, message)
    }
  })

  it('are unchanged when callers cannot handle them', () => {
    for (const error of [new TypeError('x'), new StorageError('full', 'x'), 'x', undefined]) {
      assert.equal(toStorageError(error), error)
    }
  })

  it('contain no values', () => {
    const error = Object.assign(new Error('duplicate key value violates "users_email_key_key"'), {
      code: '23505',
      table: 'users',
      detail: 'Key (email_key)=(ada@example.com) already exists.',
    })
    const mapped = toStorageError(error)
    assert.ok(mapped instanceof StorageError)
    assert.equal(mapped.constraint, 'users(email_key)')
    assert.doesNotMatch(`${mapped.stack} ${JSON.stringify(mapped)}`, /ada@/)
    assert.doesNotMatch(`${mapped.cause} ${JSON.stringify(mapped.cause)}`, /ada@/)
  })

  it('are conflicts for the SQLSTATEs of conflicts and deadlocks only', () => {
    for (const [code, expected] of [
      ['40001', true],
      ['40P01', true],
      ['57014', false],
    ] as const) {
      assert.equal(isConflict(toStorageError(Object.assign(new Error('x'), { code }))), expected)
    }
  })

  it('are stale plans by their code and routine, whatever the language of the message', () => {
    const message = 'gecachter Plan darf den Ergebnistyp nicht ändern'
    for (const [code, routine, expected] of [
      ['0A000', 'RevalidateCachedQuery', true],
      ['0A000', 'transformInsertStmt', false],
      ['42601', 'RevalidateCachedQuery', false],
    ] as const) {
      const mapped = toStorageError(Object.assign(new Error(message), { code, routine }))
      assert.equal(isStalePlan(mapped), expected)
    }
  })
})
