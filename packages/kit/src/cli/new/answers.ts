import { CATEGORIES, type Category } from '../../category.ts'
import { Misuse } from '../misuse.ts'
import { placeFault, plainPlace } from './place.ts'
import { WAYS, type Way } from './ways.ts'

/** What `new` must know. */
export interface Answers {
  readonly name: string
  readonly key: string
  readonly category: Category
  /**
   * Where the API is, without a slash at the end. Begins with `${base_url}` where people run the
   * provider themselves; `${name}` may be the first part of the host.
   */
  readonly baseUrl: string
  readonly way: Way
  /** The path that tells whether credentials work. */
  readonly checkPath: string
  readonly docs: string
}

/** One question, the flag that answers it, and what an answer must be like. */
export interface Question {
  readonly flag: string
  readonly asks: string
  /** What counts when nothing is said; undefined where something must be. */
  usual(given: Readonly<Record<string, string>>): string | undefined
  /** What is wrong with an answer; undefined when it is fine. */
  fault(answer: string): string | undefined
}

const NAMES_OF_WAYS = Object.keys(WAYS)

/** In the order of asking. */
export const QUESTIONS: readonly Question[] = [
  {
    flag: 'name',
    asks: 'Name of the provider, such as Acme Desk',
    usual: () => undefined,
    fault: (answer) => (/\p{L}/u.test(answer) ? undefined : 'needs a letter'),
  },
  {
    flag: 'key',
    asks: 'Key',
    usual: ({ name = '' }) => (name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('_') || undefined,
    fault: (answer) =>
      /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(answer) ? undefined : 'is lower case, words joined by _',
  },
  {
    flag: 'category',
    asks: 'Category',
    usual: () => 'OTHER',
    fault: (answer) => isOneOf(CATEGORIES, answer),
  },
  {
    flag: 'base-url',
    asks: 'Base URL of the API (${base_url}/… where people run the provider themselves, https://${subdomain}.acme.example where each customer has a host)',
    usual: () => undefined,
    fault: placeFault,
  },
  {
    flag: 'auth',
    asks: `How it authenticates (${NAMES_OF_WAYS.join(', ')})`,
    usual: () => 'bearer',
    fault: (answer) => isOneOf(NAMES_OF_WAYS, answer),
  },
  {
    flag: 'check',
    asks: 'Path that tells whether credentials work',
    usual: () => '/me',
    fault: (answer) => (/^\/[^\s'\\]*$/.test(answer) ? undefined : 'starts with /'),
  },
  {
    flag: 'docs',
    asks: "The provider's page about that",
    usual: ({ 'base-url': url = '' }) =>
      /^https:[^$]+$/.test(url) && URL.canParse(url)
        ? new URL('/docs', url).href
        : 'https://example.com/docs',
    fault: (answer) => (isHttps(answer) ? undefined : 'is an https URL'),
  },
]

/** Judges what flags say, before anybody is asked. @throws Misuse that names the flag */
export function judgeGiven(given: Readonly<Record<string, string>>): void {
  for (const { flag, fault } of QUESTIONS) {
    const wrong = given[flag] === undefined ? undefined : fault(given[flag])
    if (wrong) throw new Misuse(`--${flag} ${wrong}.`)
  }
}

/** The answers by their flags, all judged. @throws Misuse that names the flag */
export function readAnswers(given: Readonly<Record<string, string>>): Answers {
  const all: Record<string, string> = { ...given }
  judgeGiven(given)
  for (const { flag, usual } of QUESTIONS) {
    const answer = given[flag] ?? usual(all)
    if (answer === undefined) throw new Misuse(`--${flag} is needed.`)
    all[flag] = answer
  }
  judgeGiven(all)
  const { name = '', key = '', category, auth, docs = '', check: checkPath = '' } = all
  const baseUrl = plainPlace(all['base-url'] ?? '')
  return { name, key, category: category as Category, baseUrl, way: auth as Way, checkPath, docs }
}

function isOneOf(list: readonly string[], answer: string): string | undefined {
  return list.includes(answer) ? undefined : `is one of ${list.join(', ')}`
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s'\\]+$/.test(text) && URL.canParse(text)
}
