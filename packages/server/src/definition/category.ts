import Type, { type Static } from 'typebox'
import { type FieldErrors, fieldError } from '../errors.ts'
import { Shape } from '../http/schema.ts'

/** A category of integrations on the wire (interface: items of category, integrationType). */
export const Category = Shape(
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

const OWN_KEY = /^[A-Z0-9_]{2,40}$/
const NAMING_KEYS = ['key', 'name', 'type', 'value', 'category', 'id']

/** The known category with this key or name, in any case. */
export function knownCategory(text: string): Category | undefined {
  const wanted = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
  return CATEGORIES.find(({ key }) => key === wanted)
}

/**
 * Reads a category of the body. `own` may accept a key that only a workspace knows.
 *
 * @returns the category, or what is wrong with the field
 */
export function readCategory(
  field: string,
  input: string | Record<string, unknown>,
  own: (key: string, name: string | undefined) => Category | undefined,
): Category | FieldErrors {
  const named = typeof input === 'string' ? { key: input } : input
  const texts = NAMING_KEYS.map((key) => named[key as keyof typeof named]).filter(
    (text): text is string => typeof text === 'string' && text.length <= 100,
  )
  const known = texts.map(knownCategory).find((category) => category !== undefined)
  if (known !== undefined) return known
  const key = texts.find((text) => OWN_KEY.test(text))
  const name = texts.find((text) => text !== key)
  const custom = key === undefined ? undefined : own(key, name)
  return custom ?? fieldError(field, 'unknown_category', unknownCategory())
}

/** A type of a workspace's own. */
export function ownCategory(key: string, name: string | undefined): Category {
  const words = key.toLowerCase().replaceAll('_', ' ').trim()
  return { key, name: name ?? words.replace(/^./, (first) => first.toUpperCase()) }
}

/** Whether this is a category and not what is wrong with it. */
export function isCategory(value: Category | FieldErrors): value is Category {
  return typeof value.key === 'string'
}

/** Reads the `category` of a query: comma-separated keys, or repeated. */
export function readCategoryQuery(values: readonly string[]): string[] | FieldErrors {
  const texts = values.flatMap((value) => value.split(',')).map((text) => text.trim())
  const keys = texts
    .filter((text) => text !== '')
    .map((text) => knownCategory(text)?.key ?? (OWN_KEY.test(text) ? text : undefined))
  return keys.includes(undefined)
    ? fieldError('category', 'unknown_category', unknownCategory())
    : keys.filter((key) => key !== undefined)
}

function unknownCategory(): string {
  const known = CATEGORIES.map(({ key }) => key).join(', ')
  return `Names no category. The known ones: ${known}. A custom definition may bring its own: 2 to 40 of A-Z, 0-9 and _.`
}
