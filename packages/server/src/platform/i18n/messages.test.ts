import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getFailureMessage, getMessages, LANGUAGES, type Language } from './language.ts'
import { getFormatters, type MessageParams } from './localized-text.ts'

const PARAMS: MessageParams = {
  workspace: 'WORKSPACE',
  tool: 'TOOL',
  client: 'CLIENT',
  host: 'host.example',
  account: 'ACCOUNT',
  query: 'QUERY',
  label: 'LABEL',
  at: new Date('2026-11-21T12:00:00Z'),
  seconds: 170,
  count: 12,
  total: 34,
}

const reference = collectTexts('en')

describe('The messages of our pages', () => {
  it('there are more than 150', () => assert.ok(reference.size > 150, String(reference.size)))

  for (const language of LANGUAGES) {
    const all = collectTexts(language)

    it(`have the same keys in ${language} as in English, and no empty text`, () => {
      assert.deepEqual([...all.keys()], [...reference.keys()])
      for (const [key, { text }] of all) assert.ok(text.trim().length > 0, key)
    })

    it(`use the same parameters in ${language} as in English`, () => {
      for (const [key, { shownParams: requested }] of all) {
        if (
          key.startsWith('form.too') ||
          key.includes('fieldErrors') ||
          key.includes('resultCount')
        )
          continue
        assert.deepEqual(requested, reference.get(key)?.shownParams, key)
      }
    })

    it(`contain no technical term in ${language}`, () => {
      for (const [key, { text }] of all)
        assert.doesNotMatch(text, getMessages(language).technicalTerms, key)
    })

    it(`are short enough for a phone in ${language}`, () => {
      for (const [key, { text }] of all)
        assert.ok(text.length <= findLongest(key), `${key}: ${text}`)
    })

    if (language !== 'en')
      it(`are translated into ${language}`, () => {
        const untranslated = [...all].filter(([key, { text }]) => text === reference.get(key)?.text)
        const share = untranslated.length / all.size
        assert.ok(share < 0.06, untranslated.map(([key]) => key).join(', '))
      })
  }
})

describe('failureMessage', () => {
  it('returns a sentence for every code, known or not', () => {
    for (const code of ['key_rejected', 'no_such_code', 'constructor', '__proto__', ''])
      assert.match(String(getFailureMessage(getMessages('en'), code, PARAMS)), /TOOL/)
    assert.notEqual(
      String(getFailureMessage(getMessages('en'), 'key_rejected', PARAMS)),
      String(getFailureMessage(getMessages('en'), 'unknown', PARAMS)),
    )
  })
})

describe('getFormatters', () => {
  it('formats dates, durations and numbers', () => {
    const { day, relativeTime, number } = getFormatters(getMessages('en').locale)
    assert.equal(day(PARAMS.at), '21 November 2026')
    assert.deepEqual([0, 1, 59, 60, 170, 3_599, 3_600, 9_000].map(relativeTime), [
      ...['in 1 second', 'in 1 second', 'in 59 seconds', 'in 1 minute', 'in 3 minutes'],
      ...['in 60 minutes', 'in 1 hour', 'in 3 hours'],
    ])
    assert.equal(getFormatters('de').number(1_234.5), '1.234,5')
    assert.equal(getFormatters('de').day(PARAMS.at), '21. November 2026')
    assert.equal(number(1_234), '1,234')
  })

  it('chooses plural forms', () => {
    const formatCount = (language: Language, count: number) =>
      getMessages(language).picker.resultCount({ count })
    assert.deepEqual(
      [0, 1, 2].map((count) => String(formatCount('en', count))),
      ['0 tools', '1 tool', '2 tools'],
    )
    assert.equal(String(formatCount('fr', 0)), '0 outil')
    assert.equal(String(formatCount('ar', 2)), 'أداتان')
  })
})

/** The maximum length on a phone: one line for buttons, three for titles, a short paragraph otherwise. */
function findLongest(key: string): number {
  if (key.startsWith('action.') || key.includes('category.')) return 40
  if (key === 'states.beforeSignIn.title') return 170
  if (key.endsWith('.title')) return 75
  return 190
}

/** Every text of a language by path, with the parameters that it contains. */
function collectTexts(language: Language): Map<string, { text: string; shownParams: string[] }> {
  const formatCount = new Map<string, { text: string; shownParams: string[] }>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') formatCount.set(path, { text: value, shownParams: [] })
    else if (typeof value === 'function') call(value as (params: MessageParams) => unknown, path)
    else
      for (const [key, inner] of Object.entries(value as object).sort(compareNames))
        walk(inner, path === '' ? key : `${path}.${key}`)
  }
  const call = (template: (params: MessageParams) => unknown, path: string): void => {
    const result = template(PARAMS)
    const parts =
      typeof result === 'object' && result !== null && 'title' in result
        ? Object.entries(result)
        : [['', result]]
    for (const [key, part] of parts) {
      const text = String(part)
      formatCount.set(key === '' ? path : `${path}.${key}`, {
        text,
        shownParams: getShownParams(text, language),
      })
    }
  }
  const { locale, direction, labels, ...messages } = getMessages(language)
  walk(messages, '')
  return formatCount
}

/** The parameters that a text contains, as the language formats them. */
function getShownParams(text: string, language: Language): string[] {
  const { day, relativeTime, number } = getFormatters(getMessages(language).locale)
  const shown = {
    ...PARAMS,
    at: day(PARAMS.at),
    seconds: relativeTime(PARAMS.seconds),
    count: number(PARAMS.count),
  }
  return Object.entries(shown)
    .filter(([, value]) => text.includes(String(value)))
    .map(([name]) => name)
    .sort()
}

function compareNames([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1
}
