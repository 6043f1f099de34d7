import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import {
  type BoundedPage,
  type CursorPosition,
  createTurns,
  listInParts,
  type Pagination,
} from './pagination.ts'

const ROWS = Array.from({ length: 1_234 }, (_, index) => index)

/** A list of the numbers below `count`. */
const listOf = (count: number) => {
  const rows = ROWS.slice(0, count)
  return {
    read: async ({ limit, after }: BoundedPage) => {
      const start = after === undefined ? 0 : after.createdAt + 1
      return rows.slice(start, start + limit + 1)
    },
    positionOf: (row: number): CursorPosition => ({ createdAt: row, id: String(row) }),
    serialize: (part: readonly number[]) => part.map(String),
  }
}
const textOf = async (json: string | Readable) => (typeof json === 'string' ? json : text(json))
const ALL = { limit: undefined, after: undefined }

describe('A list in parts', () => {
  const list = async (count: number, page: Pagination = ALL, options: object = {}) => {
    const source = listOf(count)
    const { json, next } = await listInParts(source, page, { takeTurn: createTurns(), ...options })
    return { items: JSON.parse(await textOf(json)), next }
  }

  it('has all rows once, in order, whatever their number', async () => {
    for (const count of [0, 1, 99, 100, 101, 199, 200, 201, 1_000, 1_234])
      assert.deepEqual(await list(count), { items: ROWS.slice(0, count), next: undefined })
  })

  it('has as many as its limit, and the position of the last if more follow', async () => {
    for (const limit of [1, 99, 100, 101, 200, 1_000]) {
      const { items, next } = await list(1_001, { limit, after: undefined })
      assert.deepEqual(items, ROWS.slice(0, limit))
      assert.equal(next?.createdAt, limit - 1)
      const rest = await list(limit, { limit, after: undefined })
      assert.deepEqual(rest, { items: ROWS.slice(0, limit), next: undefined })
    }
  })

  it('starts after a position', async () => {
    const after = { createdAt: 149, id: '149' }
    assert.deepEqual((await list(400, { limit: undefined, after })).items, ROWS.slice(150, 400))
    assert.deepEqual((await list(400, { limit: 120, after })).items, ROWS.slice(150, 270))
  })

  it('has parts of a bounded length, however long its rows are', async () => {
    for (const length of [1, 1_000, 50_000, 300_000]) {
      const parts: number[] = []
      const source = {
        ...listOf(150),
        serialize: (part: readonly number[]) => {
          parts.push(part.length * (length + 3))
          return part.map(() => JSON.stringify('x'.repeat(length)))
        },
      }
      const { json } = await listInParts(source, ALL, { takeTurn: createTurns() })
      assert.equal(JSON.parse(await textOf(json)).length, 150)
      // How long its rows are is known after the first ones.
      const [first = 0, ...others] = parts
      assert.equal(first, 10 * (length + 3))
      assert.ok(Math.max(...others) <= Math.max(250_000, length + 3), String(parts))
    }
  })

  it('ends a page of 8 MB before its limit, and continues after it', async () => {
    const source = {
      ...listOf(500),
      serialize: (part: readonly number[]) =>
        part.map((row) => JSON.stringify(`${row}`.padEnd(100_000))),
    }
    const takeTurn = createTurns()
    const found: number[] = []
    let page: Pagination = { limit: 500, after: undefined }
    let pages = 0
    do {
      const { json, next } = await listInParts(source, page, { takeTurn })
      const body = await textOf(json)
      assert.ok(body.length < 8_500_000)
      found.push(...JSON.parse(body).map(Number))
      page = { limit: 500, after: next }
      pages += 1
    } while (page.after !== undefined)
    assert.deepEqual(found, ROWS.slice(0, 500))
    assert.equal(pages, 7)
  })

  it('is framed by what precedes and follows it', async () => {
    const frame = ['{"a":[', ']}'] as const
    for (const count of [0, 1, 300])
      assert.deepEqual((await list(count, ALL, { frame })).items, { a: ROWS.slice(0, count) })
  })

  it('fails once the token is no longer valid', async () => {
    let count = 0
    const reauthenticate = async () => {
      count += 1
      if (count === 3) throw new Error('revoked')
    }
    await assert.rejects(list(1_234, ALL, { reauthenticate }), /revoked/)
  })
})

describe('Turns of the event loop', () => {
  it('are given to one part each, in the order of their requests', async () => {
    const takeTurn = createTurns()
    const order: string[] = []
    let turn = 0
    const countTurns = () => {
      turn += 1
      if (turn < 100) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const taken = new Set<number>()
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        for (let part = 0; part < 3; part += 1) {
          await takeTurn()
          assert.ok(!taken.has(turn), `turn ${turn} is taken twice`)
          taken.add(turn)
          order.push(name)
        }
      }),
    )
    assert.equal(order.join(''), 'abcabcabc')
  })
})
