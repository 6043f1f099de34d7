import { CATEGORIES, type Category } from '../../category.ts'
import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import { UsageError } from '../usage-error.ts'
import { AUTH_TEMPLATES, type AuthTemplateName } from './auth-templates.ts'
import { findBaseUrlError, normalizeBaseUrl } from './base-url.ts'

/** The input of `new`. */
export interface IntegrationAnswers {
  readonly name: string
  readonly key: string
  readonly category: Category
  /**
   * The base URL of the API, without a trailing slash. Starts with `${base_url}` for self-hosted providers; `${name}`
   * may be the first label of the host.
   */
  readonly baseUrl: string
  readonly authTemplate: AuthTemplateName
  /** The path of the request that checks credentials. */
  readonly checkPath: string
  readonly docs: string
}

/** One question, with its flag and validation. */
export interface Question {
  readonly flag: string
  readonly prompt: string
  /** The default; undefined if an answer is required. */
  defaultAnswer(provided: Readonly<Record<string, string>>): string | undefined
  /** Returns what is wrong with an answer; undefined if it is valid. */
  validate(answer: string): string | undefined
}

const AUTH_TEMPLATE_NAMES = Object.keys(AUTH_TEMPLATES)

/** In the order of the prompts. */
export const QUESTIONS: readonly Question[] = [
  {
    flag: 'name',
    prompt: 'Name of the provider, such as Acme Desk',
    defaultAnswer: () => undefined,
    validate: (answer) => (/\p{L}/u.test(answer) ? undefined : 'must contain a letter'),
  },
  {
    flag: 'key',
    prompt: 'Key',
    defaultAnswer: ({ name = '' }) =>
      (name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('_') || undefined,
    validate: (answer) =>
      /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(answer)
        ? undefined
        : 'must be lower case, words joined by _',
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
      'Base URL of the API (${base_url}/… for self-hosted providers, https://${subdomain}.acme.example if each customer has a host)',
    defaultAnswer: () => undefined,
    validate: findBaseUrlError,
  },
  {
    flag: 'auth',
    prompt: `Authentication method (${AUTH_TEMPLATE_NAMES.join(', ')})`,
    defaultAnswer: () => 'bearer',
    validate: (answer) => validateChoice(AUTH_TEMPLATE_NAMES, answer),
  },
  {
    flag: 'check',
    prompt: 'Path of a request that checks the credentials',
    defaultAnswer: () => '/me',
    validate: (answer) => (/^\/[^\s'\\]*$/.test(answer) ? undefined : 'must start with /'),
  },
  {
    flag: 'docs',
    prompt: 'URL of the provider documentation for it',
    defaultAnswer: () => PLACEHOLDERS.docs,
    validate: (answer) => (isHttps(answer) ? undefined : 'must be an https URL'),
  },
]

/** Validates flags before prompting. @throws UsageError that names the flag */
export function validateAnswers(provided: Readonly<Record<string, string>>): void {
  for (const { flag, validate } of QUESTIONS) {
    const error = provided[flag] === undefined ? undefined : validate(provided[flag])
    if (error) throw new UsageError(`--${flag} ${error}.`)
  }
}

/** The answers by flag, all validated. @throws UsageError that names the flag */
export function parseAnswers(provided: Readonly<Record<string, string>>): IntegrationAnswers {
  const all: Record<string, string> = { ...provided }
  validateAnswers(provided)
  for (const { flag, defaultAnswer } of QUESTIONS) {
    const answer = provided[flag] ?? defaultAnswer(all)
    if (answer === undefined) throw new UsageError(`--${flag} is required.`)
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
  return list.includes(answer) ? undefined : `must be one of ${list.join(', ')}`
}

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s'\\]+$/.test(text) && URL.canParse(text)
}
