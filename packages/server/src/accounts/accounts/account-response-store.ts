import { crc32 } from 'node:zlib'
import { createCrc32Combiner } from '../../platform/storage/combine-crc32.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import type { AccountRow } from '../../platform/storage/tables.ts'
import type { AccountId, PublicAccount } from './account.ts'
import { RESPONSE_SCHEMA, stringifyAccount } from './schemas/account.ts'

type StoredResponse = Pick<AccountRow, 'response_schema' | 'response_json'>

/**
 * The columns of the response of an account. `response_schema` is the version of the text plus 16 times its checksum, in one
 * number because the index that lists read has the column: the CRC-32 of the text after a comma, plus its bytes times 2^32. A
 * version alone means: not verified.
 */
export function toResponseColumns(account: PublicAccount) {
  const response_json = stringifyAccount(account)
  return {
    response_json,
    response_schema: RESPONSE_SCHEMA + SCHEMAS * computeChecksum(response_json),
  }
}

/** The version of a stored response. */
export function getSchema(responseSchema: number | null): number {
  return (responseSchema ?? 0) % SCHEMAS
}

/** Number of versions: a factor that statements use as well. */
export const SCHEMAS = 16

/**
 * The response that was stored for the account with this id; undefined without one of this version.
 *
 * @throws {StorageError} `corrupt`
 */
export function readResponse(row: StoredResponse, accountId: AccountId): string | undefined {
  const { response_json: json, response_schema: schema } = row
  if (json === null || schema === null || getSchema(schema) !== RESPONSE_SCHEMA) return undefined
  if (schema === RESPONSE_SCHEMA) return json
  // An index can lead to another account.
  const isOfAccount = json.startsWith(`{"integrationAccountId":"${accountId}"`)
  if (!isOfAccount || schema !== RESPONSE_SCHEMA + SCHEMAS * computeChecksum(json))
    throw createDamage(accountId)
  return json
}

/**
 * Verifies an array of stored responses in one pass.
 *
 * @param json the array, without spaces
 * @param schemas of each response, `response_schema`, or minus its length if it has no checksum, separated by commas
 * @param ids of the accounts, separated by commas
 * @throws {StorageError} `corrupt`
 */
export function verifyResponses(json: Buffer, schemas: Uint8Array, ids: string): void {
  const entries = parseNumbers(schemas)
  // Written by an earlier version.
  if (entries.every((entry) => entry < 0)) return
  let start = 1
  let crc = 0
  for (const entry of entries) {
    const length = getLength(entry)
    const own = entry < 0 ? crc32(json.subarray(start, start + length), COMMA) : getCrc(entry)
    crc = combine(crc, own, length + 1)
    start += length + 1
  }
  if (start === json.length && crc === crc32(json.subarray(1, -1), COMMA)) return
  throw createDamage(findDamaged(json, entries, ids.split(',')))
}

const combine = createCrc32Combiner()
const COMMA = crc32(',')

/** Integers separated by commas, from ASCII: several times as fast as `split`. */
function parseNumbers(text: Uint8Array): number[] {
  const numbers: number[] = []
  let value = 0
  let sign = 1
  for (const byte of text) {
    if (byte === 0x2c) {
      numbers.push(sign * value)
      value = 0
      sign = 1
    } else if (byte === 0x2d) sign = -1
    else value = value * 10 + byte - 0x30
  }
  numbers.push(sign * value)
  return numbers
}

/** The id of the first account that is damaged; the first of all if the lengths do not fit. */
function findDamaged(json: Buffer, entries: readonly number[], ids: readonly string[]): string {
  let start = 1
  const index = entries.findIndex((entry) => {
    const bytes = json.subarray(start, start + getLength(entry))
    start += bytes.length + 1
    return entry >= 0 && crc32(bytes, COMMA) !== getCrc(entry)
  })
  return ids[Math.max(0, index)] ?? ''
}

function computeChecksum(json: string): number {
  const length = Buffer.byteLength(json)
  return length > MAX_LENGTH ? 0 : crc32(json, COMMA) + length * 2 ** 32
}

/** The number stays an integer that JavaScript represents exactly. */
const MAX_LENGTH = 2 ** 17 - 1

const getCrc = (schema: number) => Math.floor(schema / SCHEMAS) >>> 0
const getLength = (entry: number) => (entry < 0 ? -entry : Math.floor(entry / SCHEMAS / 2 ** 32))

function createDamage(id: string): StorageError {
  return new StorageError('corrupt', `The row accounts/${id} is damaged`)
}
