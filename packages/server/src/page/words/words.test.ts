import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES, type Language } from '../language.ts'
import type { Facts } from './facts.ts'
import { failureSentence } from './failure-sentence.ts'
import { measuresOf } from './measures.ts'
import { wordsOf } from './words-of.ts'

const FACTS: Facts = {
  workspace: 'WORKSPACE',
  tool: 'TOOL',
  host: 'host.example',
  account: 'ACCOUNT',
  query: 'QUERY',
  label: 'LABEL',
  at: new Date('2026-11-21T12:00:00Z'),
  seconds: 170,
  count: 12,
}

/** Words of the trade, in each tongue, that a person need not know. */
const FORBIDDEN: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:oauth|bundle|credentials?|authenti\w+|authori[sz]\w+|provider|token endpoint|whitelist)\b|!/i,
  de: /oauth|bundle|credential|zugangsdaten|authentifizier|autorisier|anbieter|!/i,
  fr: /oauth|bundle|credential|identifiants|authentifi|fournisseur|!/i,
  es: /oauth|bundle|credencial|autenticaci|proveedor|!/i,
  ja: /oauth|バンドル|クレデンシャル|認証|資格情報|プロバイダ|！|!/i,
  ar: /oauth|حزمة|بيانات الاعتماد|مصادقة|المزود|!/i,
}

const reference = written('en')

describe('the words of our pages', () => {
  it('are many', () => assert.ok(reference.size > 150, String(reference.size)))

  for (const language of LANGUAGES) {
    const all = written(language)

    it(`say the same things in ${language}, none of them empty`, () => {
      assert.deepEqual([...all.keys()], [...reference.keys()])
      for (const [key, { text }] of all) assert.ok(text.trim().length > 0, key)
    })

    it(`name the same names in ${language}`, () => {
      for (const [key, { asked }] of all) {
        if (key.startsWith('form.too') || key.includes('faults') || key.includes('found')) continue
        assert.deepEqual(asked, reference.get(key)?.asked, key)
      }
    })

    it(`use no word of the trade in ${language}`, () => {
      for (const [key, { text }] of all) assert.doesNotMatch(text, FORBIDDEN[language], key)
    })

    it(`are short enough in ${language}`, () => {
      for (const [key, { text }] of all) assert.ok(text.length <= longest(key), `${key}: ${text}`)
    })

    if (language !== 'en')
      it(`are translated into ${language}`, () => {
        const same = [...all].filter(([key, { text }]) => text === reference.get(key)?.text)
        const share = same.length / all.size
        assert.ok(share < 0.06, same.map(([key]) => key).join(', '))
      })
  }
})

describe('the sentence for a failure', () => {
  it('is there for every code, known or not', () => {
    for (const code of ['invalid_credentials', 'no_such_code', 'constructor', '__proto__', ''])
      assert.match(String(failureSentence(wordsOf('en'), code, FACTS)), /TOOL/)
    assert.notEqual(
      String(failureSentence(wordsOf('en'), 'invalid_credentials', FACTS)),
      String(failureSentence(wordsOf('en'), 'unknown', FACTS)),
    )
  })
})

describe('the measures of a language', () => {
  it('write days, spans and numbers as its readers do', () => {
    const { day, inTime, number } = measuresOf('en')
    assert.equal(day(FACTS.at), '21 November 2026')
    assert.deepEqual([0, 1, 59, 60, 170, 3_599, 3_600, 9_000].map(inTime), [
      ...['in 1 second', 'in 1 second', 'in 59 seconds', 'in 1 minute', 'in 3 minutes'],
      ...['in 60 minutes', 'in 1 hour', 'in 3 hours'],
    ])
    assert.equal(measuresOf('de').number(1_234.5), '1.234,5')
    assert.equal(measuresOf('de').day(FACTS.at), '21. November 2026')
    assert.equal(number(1_234), '1,234')
  })

  it('count as its readers do', () => {
    const found = (language: Language, count: number) => wordsOf(language).picker.found({ count })
    assert.deepEqual(
      [0, 1, 2].map((count) => String(found('en', count))),
      ['0 tools', '1 tool', '2 tools'],
    )
    assert.equal(String(found('fr', 0)), '0 outil')
    assert.equal(String(found('ar', 2)), 'أداتان')
  })
})

/** Room on a phone: buttons one line, titles three, sentences a short paragraph. */
function longest(key: string): number {
  if (key.startsWith('action.') || key.includes('category.')) return 40
  if (key === 'states.beforeSignIn.title') return 170
  if (key.endsWith('.title')) return 75
  return 190
}

/** Every text of a language under its path, with the facts that it read. */
function written(language: Language): Map<string, { text: string; asked: string[] }> {
  const found = new Map<string, { text: string; asked: string[] }>()
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') found.set(path, { text: value, asked: [] })
    else if (typeof value === 'function') call(value as (facts: Facts) => unknown, path)
    else
      for (const [key, inner] of Object.entries(value as object).sort(byName))
        walk(inner, path === '' ? key : `${path}.${key}`)
  }
  const call = (say: (facts: Facts) => unknown, path: string): void => {
    const answer = say(FACTS)
    const parts =
      typeof answer === 'object' && answer !== null && 'title' in answer
        ? Object.entries(answer)
        : [['', answer]]
    for (const [key, part] of parts) {
      const text = String(part)
      found.set(key === '' ? path : `${path}.${key}`, { text, asked: namesIn(text, language) })
    }
  }
  walk(wordsOf(language), '')
  return found
}

/** Which facts a text shows, as its language writes them. */
function namesIn(text: string, language: Language): string[] {
  const { day, inTime, number } = measuresOf(language)
  const shown = {
    ...FACTS,
    at: day(FACTS.at),
    seconds: inTime(FACTS.seconds),
    count: number(FACTS.count),
  }
  return Object.entries(shown)
    .filter(([, value]) => text.includes(String(value)))
    .map(([name]) => name)
    .sort()
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1
}
