import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getEncoders, redactSecrets } from './redact-secrets.ts'

const config = { api_key: 'sk/live+42?x=1&y', nested: { list: ['inner-secret'] }, pin: 123456 }

describe('scrub', () => {
  it('removes values at any depth, and numbers of six digits', () => {
    const text = 'key sk/live+42?x=1&y, inner-secret and 123456 are wrong'
    assert.equal(redactSecrets(text, config), 'key [removed], [removed] and [removed] are wrong')
  })

  it('preserves other words, keys, booleans and short numbers', () => {
    const text = 'api_key is missing: true, 401, null'
    assert.equal(redactSecrets(text, { ...config, flag: true, code: 401, none: null }), text)
  })

  it('removes values in URL and form encoding', () => {
    const secret = "p ss/w'rd+\u20ac"
    for (const form of [
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURI(secret),
      new URLSearchParams({ q: secret }).toString().slice(2),
    ]) {
      assert.equal(redactSecrets(`at ?q=${form}&z`, { secret }), 'at ?q=[removed]&z')
    }
  })

  it('removes values in JSON, and in JSON within JSON', () => {
    const secret = 'line"one\\two\u00e9'
    const json = JSON.stringify({ secret })
    assert.equal(redactSecrets(json, { secret }), '{"secret":"[removed]"}')
    assert.equal(redactSecrets(JSON.stringify({ json }), { secret })?.includes('one'), false)
    assert.equal(redactSecrets('"line\\"one\\\\two\\u00e9"', { secret }), '"[removed]"')
  })

  it('removes values in hexadecimal', () => {
    const hex = Buffer.from('a-password').toString('hex')
    assert.equal(
      redactSecrets(`${hex} ${hex.toUpperCase()}`, { x: 'a-password' }),
      '[removed] [removed]',
    )
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
            const cleared = redactSecrets(`x ${bytes.toString(alphabet)} y`, { secret }) ?? ''
            assert.ok(cleared.includes('[removed]'))
            const removedLength = cleared.length - '[removed]'.length
            // Besides the surrounding words, only the characters that the value shares with its neighbours remain.
            assert.ok(
              removedLength <=
                4 + Math.ceil(((bytes.length - Buffer.byteLength(secret)) * 4) / 3) + 6,
            )
          }
        },
      ),
      { numRuns: 200, verbose: true },
    )
  })

  it('removes short values only as separate words', () => {
    assert.equal(
      redactSecrets('us: a user of us, us1', { region: 'us' }),
      '[removed]: a user of [removed], us1',
    )
  })

  it('removes the longer of two values that overlap', () => {
    const values = { a: 'token', b: 'token-and-more' }
    assert.equal(redactSecrets('token-and-more token', values), '[removed] [removed]')
  })

  it('removes a value that is truncated at the end of the text', () => {
    assert.equal(redactSecrets('bad: abcdefghij', { key: 'abcdefghijklmnop' }), 'bad: [removed]')
  })

  it('removes single lines of a multi-line value', () => {
    const key = '-----BEGIN KEY-----\nMIIEabcdefgh\nijklmnopqrst\n-----END KEY-----'
    assert.equal(redactSecrets('near MIIEabcdefgh', { key }), 'near [removed]')
  })

  it('leaves no value in any text made of values and words', () => {
    const word = fc.string({ minLength: 5, maxLength: 20, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), word, (secrets, between) => {
        const text = secrets.join(` ${between} `)
        const marks = '[removed]'
        const cleared = redactSecrets(text, { secrets }) ?? ''
        for (const secret of secrets) {
          if (!marks.includes(secret)) assert.ok(!cleared.replaceAll(marks, '\0').includes(secret))
        }
      }),
      { numRuns: 300, verbose: true },
    )
  })

  it('removes a value, in any encoding, that is split by the limit of 2,000 characters', () => {
    const secret = 'päss/wörd+"and\\more" & 50% ü'
    const forms = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ q: secret }).toString().slice(2),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret, 'latin1').toString('base64url'),
    ]
    for (const form of forms) {
      for (let visibleLength = 1; visibleLength < form.length - 2; visibleLength++) {
        const text = `${'.'.repeat(2_000 - visibleLength)}${form} and ${form}`
        assert.equal(
          redactSecrets(text, { secret }),
          `${'.'.repeat(2_000 - visibleLength)}[removed]`,
        )
      }
    }
  })

  it('removes a value longer than any text that it reads', () => {
    const secret = Array.from({ length: 6_000 }, (_, at) => `line ${at}/`).join('')
    assert.equal(redactSecrets(`bad: ${secret}`, { secret }), 'bad: [removed]')
    assert.equal(redactSecrets(encodeURIComponent(secret), { secret }), '[removed]')
  })

  it('reads 2,000 characters of a text', () => {
    assert.equal(redactSecrets('.'.repeat(900_000), config), '.'.repeat(2_000))
  })

  it('withholds the text when the config has more than 1,000 values or 128 KiB of them', () => {
    const createValues = (count: number) => Array.from({ length: count }, (_, at) => `value-${at}`)
    assert.equal(redactSecrets('bad: value-999', createValues(1_000)), 'bad: [removed]')
    assert.equal(redactSecrets('bad: value-999', createValues(1_001)), undefined)
    assert.equal(redactSecrets('bad', { lines: createValues(1_001).join('\n') }), undefined)
    const createLargeConfig = (count: number) =>
      Array.from({ length: count }, (_, at) => `${at}${'ü'.repeat(998)}`)
    assert.equal(redactSecrets('bad', createLargeConfig(64)), 'bad')
    assert.equal(redactSecrets('bad', createLargeConfig(70)), undefined)
    assert.equal(redactSecrets('', createValues(1_001)), '')
  })

  it('gives the same result as a separate search for each encoding of each value', () => {
    const unit = fc.constantFrom('a', 'b', '/', '"', '\\', 'ü', '+', ' ', '\u20ac', '\ud83d\ude00')
    const word = fc.string({ unit, minLength: 4, maxLength: 24 })
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word),
        (secrets, words) => {
          const parts = words.flatMap((each, at) => [each, secrets[at % secrets.length] ?? ''])
          for (const encode of [
            String,
            encodeURIComponent,
            (text: string) => JSON.stringify(text),
          ]) {
            const text = parts.map(encode).join(' ')
            const cleared = redactSecrets(text, secrets) ?? ''
            for (const secret of secrets) {
              for (const form of getEncoders(secret).map((each) => each(secret))) {
                if (form.length < 4 || '[removed]'.includes(form)) continue
                assert.ok(!cleared.replaceAll('[removed]', '\0').includes(form))
              }
            }
          }
        },
      ),
      { numRuns: 200, verbose: true },
    )
  })

  it('accepts any config', () => {
    const round: Record<string, unknown> = {}
    round.round = round
    for (const nonConfig of [undefined, null, 1, 'text', [], round])
      assert.equal(redactSecrets('abc', nonConfig), 'abc')
  })
})
