import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { ApiError } from '../errors.ts'
import { findMember, type LongMember, MAX_JSON_VALUES, scanJson } from './json-body.ts'

const LONG: LongMember = { name: 'data', maxOtherBytes: 1_000_000 }

const scan = (text: string, longMember?: LongMember) => scanJson(Buffer.from(text), longMember)
const hasCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code

describe('The number of JSON values in a body', () => {
  const one = `[${'1,'.repeat(MAX_JSON_VALUES - 2)}1]`
  const more = `[${'1,'.repeat(MAX_JSON_VALUES - 1)}1]`

  it('may be 100,000 and no more', () => {
    assert.equal(scan(one), undefined)
    assert.throws(() => scan(more), hasCode('too_many_values'))
  })

  it('counts values of every kind, and names of members', () => {
    for (const unit of [
      '{}',
      '[]',
      '""',
      '"a"',
      'true',
      '-1e9',
      ' null ',
      '"\\""',
      '[[1]',
      '"a":1',
      '"\\\\"',
    ])
      assert.throws(
        () => scan(`[${`${unit},`.repeat(MAX_JSON_VALUES)}1]`),
        hasCode('too_many_values'),
        unit,
      )
    assert.throws(
      () => scan(`{${'"a":1,'.repeat(MAX_JSON_VALUES / 2)}"b":1}`),
      hasCode('too_many_values'),
    )
    assert.equal(
      scan(`{${'"a":1,'.repeat(MAX_JSON_VALUES / 2 - 2)}"b":""}`.padEnd(300_000)),
      undefined,
    )
  })

  it('counts nothing inside of a string', () => {
    for (const unit of ['[1,', '{\\"a\\":', '\\\\', '\\\\\\"[', 'é,', '\\u0022,'])
      assert.equal(scan(`"${unit.repeat(300_000)}"`), undefined, unit)
  })

  it('equals that of a parsed document', () => {
    const seed = randomInt(2 ** 32)
    let state = seed
    const random = (below: number) => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
      return Math.floor((state / 2 ** 32) * below)
    }
    const texts = [
      '',
      'a',
      '"',
      '\\',
      ',[{:',
      '\u0001',
      'é',
      `${'x'.repeat(3_000)}"\\`,
      '\\"'.repeat(900),
    ]
    const create = (depth: number): unknown => {
      const kind = random(depth > 3 ? 3 : 5)
      if (kind === 0) return texts[random(texts.length)]
      if (kind < 3) return [null, true, -1.5e7, 0][random(4)]
      const items = Array.from({ length: random(6) }, () => create(depth + 1))
      return kind === 3
        ? items
        : Object.fromEntries(items.map((item, i) => [`${texts[random(texts.length)]}${i}`, item]))
    }
    const count = (value: unknown): number => {
      if (value === null || typeof value !== 'object') return 1
      const inner = Object.values(value).reduce((sum: number, item) => sum + count(item), 1)
      return Array.isArray(value) ? inner : inner + Object.keys(value).length
    }
    for (let round = 0; round < 300; round += 1) {
      const value = create(0)
      const rest = MAX_JSON_VALUES - count(value) - 1
      const indent = random(3)
      const body = (size: number) =>
        `[${JSON.stringify(value, null, indent)}${',0'.repeat(size)}]`.padEnd(200_001)
      assert.equal(scan(body(rest)), undefined, `seed ${seed}, round ${round}`)
      assert.throws(() => scan(body(rest + 1)), hasCode('too_many_values'), `seed ${seed}`)
    }
  })

  it('is refused without memory for the values', () => {
    const body = Buffer.alloc(24 * 1024 * 1024, '{},')
    const before = process.memoryUsage().heapUsed
    assert.throws(() => scanJson(body, undefined), hasCode('too_many_values'))
    assert.ok(process.memoryUsage().heapUsed - before < 1024 * 1024)
  })
})

describe('The long member of a body', () => {
  const content = 'QUFB'.repeat(500_000)

  it('is found at any place of the outermost object, with spaces around it', () => {
    for (const body of [`{"data":"${content}"}`, `{"a":[1],"data" :\n "${content}" , "b":{}}`]) {
      const range = scan(body, LONG)
      assert.equal(body.slice(range?.start, range?.end), content)
    }
  })

  it('is nothing else: not an inner member, another name, a name, an item or a second one', () => {
    for (const body of [
      `{"a":{"data":"${content}"}}`,
      `{"dat":"${content}"}`,
      `{"x\\"data":"${content}"}`,
      `{"${content}":1}`,
      `["data","${content}"]`,
      `{"a":"data","b":"${content}"}`,
      `{"data":"${content}","data":"${content}"}`,
      `{"data":"\\/${content}"}`,
      `{"data":"${content}","a":"${'x'.repeat(1_000_001)}"}`,
    ])
      assert.throws(() => scan(body, LONG), hasCode('body_too_large'), body.slice(0, 20))
  })
})

describe('The text of a member', () => {
  it('is that of the last one with its name at the top, whatever its value contains', () => {
    for (const [text, expected] of [
      ['{"a":1.0}', '1.0'],
      [' { "a" :\t[1, {"a": "}"}] , "b":2 } ', '[1, {"a": "}"}]'],
      ['{"b":{"a":1},"a":{"\\"":"\\\\"}}', '{"\\"":"\\\\"}'],
      ['{"\\u0061":1,"a":12345678901234567890}', '12345678901234567890'],
      ['{"a":1,"\\u0061":2}', '2'],
      ['{"b":"a","c":["a",1]}', undefined],
      ['[{"a":1}]', undefined],
      ['{}', undefined],
    ] as const)
      assert.equal(findMember(Buffer.from(text), 'a'), expected, text)
  })
})
