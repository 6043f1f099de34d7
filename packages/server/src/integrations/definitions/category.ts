import Type, { type Static } from 'typebox'
import { type FieldErrors, fieldError } from '../../platform/errors.ts'
import { StrictObject } from '../../platform/http/schema.ts'

const NAMES: Readonly<Record<string, string>> = {
  HRIS: 'HRIS',
  MESSAGING: 'Messaging',
  CALENDAR: 'Calendar',
  TICKETING: 'Ticketing',
  MAIL: 'Mail',
  DOCUMENTATION: 'Documentation',
  ACCOUNTING: 'Accounting',
  ATS: 'ATS',
  STORAGE: 'Storage',
  PAYMENTS: 'Payments',
  CRM: 'CRM',
  MARKETING: 'Marketing',
  SUPPORT: 'Support',
  ANALYTICS: 'Analytics',
  DEVELOPER_TOOLS: 'Developer tools',
  PROJECT_MANAGEMENT: 'Project management',
  IDENTITY: 'Identity',
  SOCIAL: 'Social',
  AI: 'AI',
  OTHER: 'Other',
}

/** A category of integrations (interface: items of category, integrationType). */
export const Category = StrictObject(
  {
    key: Type.String({
      'x-known-values': Object.keys(NAMES),
      description: 'The category in capital letters: a built-in one, or one of the workspace.',
    }),
    name: Type.String({ description: 'The category for people.' }),
  },
  {
    $id: 'Category',
    description: 'A category of integrations.',
    examples: [{ key: 'TICKETING', name: 'Ticketing' }],
  },
)
export type Category = Static<typeof Category>

/** A category in a request: a string, or an object that names it in one of several fields. */
export const CategoryInput = Type.Unsafe<string | Record<string, unknown>>({
  type: ['string', 'object'],
  maxLength: 100,
  maxProperties: 20,
  additionalProperties: true,
  description: 'A key or name such as Ticketing, or an object such as { "key": "TICKETING" }.',
})

/** The built-in categories. */
export const CATEGORIES: readonly Category[] = Object.entries(NAMES).map(([key, name]) => ({
  key,
  name,
}))

const CUSTOM_KEY = /^[A-Z0-9_]{2,40}$/
const CATEGORY_FIELDS = ['key', 'name', 'type', 'value', 'category', 'id']

/** The built-in category with this key or name, case-insensitive. */
export function findCategory(text: string): Category | undefined {
  const normalizedKey = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
  return CATEGORIES.find(({ key }) => key === normalizedKey)
}

/**
 * Parses a category in a request body. `resolveCustom` may accept the key of a custom category.
 *
 * @returns the category, or the error of the field
 */
export function parseCategory(
  field: string,
  input: string | Record<string, unknown>,
  resolveCustom: (key: string, name: string | undefined) => Category | undefined,
): Category | FieldErrors {
  const fields = typeof input === 'string' ? { key: input } : input
  const texts = CATEGORY_FIELDS.map((key) => fields[key as keyof typeof fields]).filter(
    (text): text is string => typeof text === 'string' && text.length <= 100,
  )
  const match = texts.map(findCategory).find((category) => category !== undefined)
  if (match !== undefined) return match
  const key = texts.find((text) => CUSTOM_KEY.test(text))
  const name = texts.find((text) => text !== key)
  const custom = key === undefined ? undefined : resolveCustom(key, name)
  return custom ?? fieldError(field, 'unknown_category', formatUnknownCategory())
}

/** A custom category of a workspace. */
export function createCustomCategory(key: string, name: string | undefined): Category {
  const words = key.toLowerCase().replaceAll('_', ' ').trim()
  return { key, name: name ?? words.replace(/^./, (first) => first.toUpperCase()) }
}

/** Whether the value is a category and not an error. */
export function isCategory(value: Category | FieldErrors): value is Category {
  return typeof value.key === 'string'
}

/** Parses the `category` query parameter: comma-separated or repeated keys. */
export function parseCategoryQuery(values: readonly string[]): string[] | FieldErrors {
  const texts = values.flatMap((value) => value.split(',')).map((text) => text.trim())
  const keys = texts
    .filter((text) => text !== '')
    .map((text) => findCategory(text)?.key ?? (CUSTOM_KEY.test(text) ? text : undefined))
  return keys.includes(undefined)
    ? fieldError('category', 'unknown_category', formatUnknownCategory())
    : keys.filter((key) => key !== undefined)
}

function formatUnknownCategory(): string {
  const knownKeys = CATEGORIES.map(({ key }) => key).join(', ')
  return `Unknown category. Built-in categories: ${knownKeys}. A custom definition may define its own: 2 to 40 of A-Z, 0-9 and _.`
}
