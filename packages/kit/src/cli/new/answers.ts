import { CATEGORIES, type Category } from '../../category.ts'
import { UsageError } from '../usage-error.ts'
import { AUTH_TEMPLATES, type AuthTemplateName } from './auth-templates.ts'
import { baseUrlError, normalizeBaseUrl } from './base-url.ts'

/** What `new` must know. */
export interface IntegrationAnswers {
  readonly name: string
  readonly key: string
  readonly category: Category
  /**
   * Where the API is, without a slash at the end. Begins with `${base_url}` where people run the
   * provider themselves; `${name}` may be the first part of the host.
   */
  readonly baseUrl: string
  readonly authTemplate: AuthTemplateName
  /** The path that tells whether credentials work. */
  readonly checkPath: string
  readonly docs: string
}

/** One question, the flag that answers it, and what an answer must be like. */
export interface Question {
  readonly flag: string
  readonly prompt: string
  /** What counts when nothing is said; undefined where something must be. */
  defaultAnswer(provided: Readonly<Record<string, string>>): string | undefined
  /** What is wrong with an answer; undefined when it is fine. */
  validate(answer: string): string | undefined
}

const AUTH_TEMPLATE_NAMES = Object.keys(AUTH_TEMPLATES)

/** In the order of asking. */
export const QUESTIONS: readonly Question[] = [
  {
    flag: 'name',
    prompt: 'Name of the provider, such as Acme Desk',
    defaultAnswer: () => undefined,
    validate: (answer) => (/\p{L}/u.test(answer) ? undefined : 'needs a letter'),
  },
  {
    flag: 'key',
    prompt: 'Key',
    defaultAnswer: ({ name = '' }) =>
      (name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('_') || undefined,
    validate: (answer) =>
      /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(answer) ? undefined : 'is lower case, words joined by _',
  },
  {
    flag: 'category',
    prompt: 'Category',
    defaultAnswer: () => 'OTHER',
    validate: (answer) => validateChoice(CATEGORIES, answer),
  },
  {
    flag: 'base-url',
    prompt:
      'Base URL of the API (${base_url}/… where people run the provider themselves, https://${subdomain}.acme.example where each customer has a host)',
    defaultAnswer: () => undefined,
    validate: baseUrlError,
  },
  {
    flag: 'auth',
    prompt: `How it authenticates (${AUTH_TEMPLATE_NAMES.join(', ')})`,
    defaultAnswer: () => 'bearer',
    validate: (answer) => validateChoice(AUTH_TEMPLATE_NAMES, answer),
  },
  {
    flag: 'check',
    prompt: 'Path that tells whether credentials work',
    defaultAnswer: () => '/me',
    validate: (answer) => (/^\/[^\s'\\]*$/.test(answer) ? undefined : 'starts with /'),
  },
  {
    flag: 'docs',
    prompt: "The provider's page about that",
    defaultAnswer: ({ 'base-url': url = '' }) =>
      /^https:[^$]+$/.test(url) && URL.canParse(url)
        ? new URL('/docs', url).href
        : 'https://example.com/docs',
    validate: (answer) => (isHttps(answer) ? undefined : 'is an https URL'),
  },
]

/** Judges what flags say, before anybody is asked. @throws Misuse that names the flag */
export function validateAnswers(provided: Readonly<Record<string, string>>): void {
  for (const { flag, validate } of QUESTIONS) {
    const error = provided[flag] === undefined ? undefined : validate(provided[flag])
    if (error) throw new UsageError(`--${flag} ${error}.`)
  }
}

/** The answers by their flags, all judged. @throws Misuse that names the flag */
export function parseAnswers(provided: Readonly<Record<string, string>>): IntegrationAnswers {
  const all: Record<string, string> = { ...provided }
  validateAnswers(provided)
  for (const { flag, defaultAnswer } of QUESTIONS) {
    const answer = provided[flag] ?? defaultAnswer(all)
    if (answer === undefined) throw new UsageError(`--${flag} is needed.`)
    all[flag] = answer
  }
  validateAnswers(all)
  const { name = '', key = '', category, auth, docs = '', check: checkPath = '' } = all
  const baseUrl = normalizeBaseUrl(all['base-url'] ?? '')
  return {
    name,
    key,
    category: category as Category,
    baseUrl,
    authTemplate: auth as AuthTemplateName,
    checkPath,
    docs,
  }
}

function validateChoice(list: readonly string[], answer: string): string | undefined {
  return list.includes(answer) ? undefined : `is one of ${list.join(', ')}`
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s'\\]+$/.test(text) && URL.canParse(text)
}
