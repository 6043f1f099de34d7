import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Linchpin, LinchpinError } from '../../src/index.ts'
import { List } from '../../src/list.ts'
import { METHODS } from '../methods.ts'

interface Recorded {
  readonly operationId: string
  readonly body: unknown
}

/**
 * What the release 0.1.0 responds to each operation, one per line: the examples of its OpenAPI document, which the tests of
 * the service hold true. A new release adds a file.
 */
const RECORDED = readFileSync(new URL('0.1.0.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Recorded => JSON.parse(line))

const ERROR = {
  error: 'moon_full',
  message: 'The moon is full.',
  errors: { a: [{}] },
  phase: 'full',
}

describe('Responses of other releases of the service', () => {
  it('are recorded for more than 60 operations', () => {
    assert.ok(RECORDED.length > 60)
  })

  for (const { operationId, body } of RECORDED) {
    const method = METHODS[operationId]
    // An operation that no longer exists has no method.
    if (method === undefined) continue
    it(`${method} reads those of 0.1.0, with fields that are missing, and with fields, states and types that are new`, async () => {
      for (const response of [body, omitFields(body), addFields(body)]) {
        const result = await call(method, () => Response.json(response))
        assert.deepEqual(result, Array.isArray(response) ? response.slice(0, 3) : response)
      }
    })

    it(`${method} throws a LinchpinError for a code that is new`, async () => {
      for (const status of [400, 418, 599]) {
        const calling = call(method, () => Response.json(ERROR, { status }))
        await assert.rejects(calling, (error) => {
          assert.ok(error instanceof LinchpinError)
          assert.deepEqual([error.code, error.status], ['moon_full', status])
          return true
        })
      }
    })
  }
})

/** What a method returns, read to its end. */
async function call(method: string, respond: () => Response): Promise<unknown> {
  const options = { baseUrl: 'https://connect.example.com', token: 'lp_1', maxRetries: 0 }
  const linchpin = new Linchpin({ ...options, fetch: async () => respond() })
  const [groupName = '', name = ''] = method.split('.')
  const group = Reflect.get(linchpin, groupName)
  const result = group[name]('id', 'id', 'id')
  return result instanceof List ? result.first(3) : await result
}

/** Without every second field. */
function omitFields(value: unknown): unknown {
  return mapObjects(value, (fields) => fields.filter((_, index) => index % 2 === 0))
}

function addFields(value: unknown): unknown {
  return mapObjects(value, (fields) => [
    ...fields.map(
      ([name, field]) => [name, /^(?:status|type)$/.test(name) ? 'new' : field] as const,
    ),
    ['newField', { nested: [1, 'two', null] }],
  ])
}

type Fields = readonly (readonly [string, unknown])[]

function mapObjects(value: unknown, change: (fields: Fields) => Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(
    ([name, field]) => [name, mapObjects(field, change)] as const,
  )
  return Object.fromEntries(change(fields))
}
