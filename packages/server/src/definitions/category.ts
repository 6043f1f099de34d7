import Type, { type Static } from 'typebox'
import { type FieldErrors, fieldError } from '../errors.ts'
import { StrictObject } from '../http/schema.ts'

/** A category of integrations on the wire (interface: items of category, integrationType). */
export const Category = StrictObject(
  { key: Type.String(), name: Type.String() },
  {
    $id: 'Category',
    description: 'A category of integrations.',
    examples: [{ key: 'TICKETING', name: 'Ticketing' }],
  },
)
export type Category = Static<typeof Category>

/** A category as callers may name it: a string, or an object that names it in one of several keys. */
export const CategoryInput = Type.Unsafe<string | Record<string, unknown>>({
  type: ['string', 'object'],
  maxLength: 100,
  maxProperties: 20,
  description: 'A name or key such as Ticketing, or an object such as { "key": "TICKETING" }.',
})

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

/** The categories that everybody knows (design section 4). */
export const CATEGORIES: readonly Category[] = Object.entries(NAMES).map(([key, name]) => ({
  key,
  name,
}))

const CUSTOM_KEY = /^[A-Z0-9_]{2,40}$/
const CATEGORY_FIELDS = ['key', 'name', 'type', 'value', 'category', 'id']

/** The known category with this key or name, in any case. */
export function findCategory(text: string): Category | undefined {
  const normalizedKey = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
  return CATEGORIES.find(({ key }) => key === normalizedKey)
}

/**
 * Reads a category of the body. `own` may accept a key that only a workspace knows.
 *
 * @returns the category, or what is wrong with the field
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
  return custom ?? fieldError(field, 'unknown_category', unknownCategoryMessage())
}

/** A type of a workspace's own. */
export function customCategory(key: string, name: string | undefined): Category {
  const words = key.toLowerCase().replaceAll('_', ' ').trim()
  return { key, name: name ?? words.replace(/^./, (first) => first.toUpperCase()) }
}

/** Whether this is a category and not what is wrong with it. */
export function isCategory(value: Category | FieldErrors): value is Category {
  return typeof value.key === 'string'
}

/** Reads the `category` of a query: comma-separated keys, or repeated. */
export function parseCategoryQuery(values: readonly string[]): string[] | FieldErrors {
  const texts = values.flatMap((value) => value.split(',')).map((text) => text.trim())
  const keys = texts
    .filter((text) => text !== '')
    .map((text) => findCategory(text)?.key ?? (CUSTOM_KEY.test(text) ? text : undefined))
  return keys.includes(undefined)
    ? fieldError('category', 'unknown_category', unknownCategoryMessage())
    : keys.filter((key) => key !== undefined)
}

function unknownCategoryMessage(): string {
  const knownKeys = CATEGORIES.map(({ key }) => key).join(', ')
  return `Names no category. The known ones: ${knownKeys}. A custom definition may bring its own: 2 to 40 of A-Z, 0-9 and _.`
}
