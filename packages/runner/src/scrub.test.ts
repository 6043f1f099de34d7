import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { scrub } from './scrub.ts'

const config = { api_key: 'sk/live+42?x=1&y', nested: { list: ['inner-secret'] }, pin: 123456 }

describe('scrub', () => {
  it('removes values at any depth, and numbers of six digits', () => {
    const text = 'key sk/live+42?x=1&y, inner-secret and 123456 are wrong'
    assert.equal(scrub(text, config), 'key [removed], [removed] and [removed] are wrong')
  })

  it('leaves other words, keys, booleans and short numbers', () => {
    const text = 'api_key is missing: true, 401, null'
    assert.equal(scrub(text, { ...config, flag: true, code: 401, none: null }), text)
  })

  it('removes values as URLs and forms carry them', () => {
    const secret = "p ss/w'rd+\u20ac"
    for (const form of [
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURI(secret),
      new URLSearchParams({ q: secret }).toString().slice(2),
    ]) {
      assert.equal(scrub(`at ?q=${form}&z`, { secret }), 'at ?q=[removed]&z')
    }
  })

  it('removes values as JSON carries them, also JSON within JSON', () => {
    const secret = 'line"one\\two\u00e9'
    const json = JSON.stringify({ secret })
    assert.equal(scrub(json, { secret }), '{"secret":"[removed]"}')
    assert.ok(!scrub(JSON.stringify({ json }), { secret }).includes('one'))
    assert.equal(scrub('"line\\"one\\\\two\\u00e9"', { secret }), '"[removed]"')
  })

  it('removes values in hexadecimal', () => {
    const hex = Buffer.from('a-password').toString('hex')
    assert.equal(scrub(`${hex} ${hex.toUpperCase()}`, { x: 'a-password' }), '[removed] [removed]')
  })

  it('removes values inside any base64 text, in both alphabets', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' }),
        fc.string({ maxLength: 8 }),
        fc.string({ maxLength: 8 }),
        (secret, before, after) => {
          const bytes = Buffer.from(`${before}${secret}${after}`)
          for (const alphabet of ['base64', 'base64url'] as const) {
            const cleared = scrub(`x ${bytes.toString(alphabet)} y`, { secret })
            assert.ok(cleared.includes('[removed]'))
            const rest = cleared.length - '[removed]'.length
            // Besides the words around it only the characters shared with its neighbours stay.
            assert.ok(
              rest <= 4 + Math.ceil(((bytes.length - Buffer.byteLength(secret)) * 4) / 3) + 6,
            )
          }
        },
      ),
      { numRuns: 200, verbose: true },
    )
  })

  it('removes short values only where they stand alone', () => {
    assert.equal(
      scrub('us: a user of us, us1', { region: 'us' }),
      '[removed]: a user of [removed], us1',
    )
  })

  it('removes the longer of two values that overlap', () => {
    const values = { a: 'token', b: 'token-and-more' }
    assert.equal(scrub('token-and-more token', values), '[removed] [removed]')
  })

  it('removes a value that the end of the text cuts off', () => {
    assert.equal(scrub('bad: abcdefghij', { key: 'abcdefghijklmnop' }), 'bad: [removed]')
  })

  it('removes single lines of a value of many lines', () => {
    const key = '-----BEGIN KEY-----\nMIIEabcdefgh\nijklmnopqrst\n-----END KEY-----'
    assert.equal(scrub('near MIIEabcdefgh', { key }), 'near [removed]')
  })

  it('leaves no value in any text made of values and words', () => {
    const word = fc.string({ minLength: 5, maxLength: 20, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), word, (secrets, between) => {
        const text = secrets.join(` ${between} `)
        const marks = '[removed]'
        const cleared = scrub(text, { secrets })
        for (const secret of secrets) {
          if (!marks.includes(secret)) assert.ok(!cleared.replaceAll(marks, '\0').includes(secret))
        }
      }),
      { numRuns: 300, verbose: true },
    )
  })

  it('is quick with a text of 2,000 characters and a config of 64 KB', () => {
    const text = 'abcd'.repeat(500)
    const values = Array.from({ length: 8_000 }, (_, at) => `ab${at.toString(36)}cd`)
    const short = Array.from({ length: 8_000 }, (_, at) => at.toString(36).slice(0, 3))
    const start = performance.now()
    scrub(text, { values })
    scrub(text, { short })
    scrub(text, { one: 'abcd'.repeat(16_000) })
    assert.ok(performance.now() - start < 10_000)
  })

  it('takes any config', () => {
    const round: Record<string, unknown> = {}
    round.round = round
    for (const odd of [undefined, null, 1, 'text', [], round])
      assert.equal(scrub('abc', odd), 'abc')
  })
})
