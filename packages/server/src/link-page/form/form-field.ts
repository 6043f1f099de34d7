import type { InputProperty } from '@linchpin/runner'
import type { ConfigFields } from '../../account/config/config-fields.ts'
import type { Attributes } from '../../page/attributes.ts'
import type { Field } from '../../page/components/field.ts'
import { fieldLabel } from './field-label.ts'
import { isMasked } from './is-masked.ts'
import { patternHint } from './pattern-hint.ts'

/** One question of a form, as a spec asks it. Every text in it is the integration's. */
export interface FormField {
  /** Its name in the configuration. */
  readonly name: string
  readonly id: string
  readonly label: string
  readonly kind: Field['kind']
  readonly isRequired: boolean
  /** Never sent back to the page. */
  readonly isSecret: boolean
  readonly help: string | undefined
  readonly helpUrl: string | undefined
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly initial: string
  readonly attributes: Attributes
  readonly property: InputProperty
}

const MAX_HELP = 500
const MAX_LABEL = 100

/** The questions of an auth type, in the order that the spec wishes: those with an `x-order` first. */
export function formFields({ properties, required }: ConfigFields): FormField[] {
  return [...properties]
    .sort(([, one], [, other]) => orderOf(one) - orderOf(other))
    .map(([name, property], index) => toField(name, property, index, required.includes(name)))
}

function toField(
  name: string,
  property: InputProperty,
  index: number,
  isRequired: boolean,
): FormField {
  const kind = kindOf(name, property)
  const isSecret = isMasked(name, property)
  return {
    name,
    id: `field-${index}`,
    label: fieldLabel(name, property),
    kind,
    isRequired,
    isSecret,
    help: textOf(property.description)?.slice(0, MAX_HELP),
    helpUrl: httpsUrl(property['x-help-url']),
    options: optionsOf(property),
    initial: isSecret ? '' : initialOf(property),
    attributes: attributesOf(kind, property),
    property,
  }
}

function optionsOf({ enum: values = [], 'x-labels': labels = {} }: InputProperty) {
  return values.map(String).map((value) => {
    const label = Object.hasOwn(labels, value) ? textOf(labels[value]) : undefined
    return { value, text: label?.slice(0, MAX_LABEL) ?? value }
  })
}

function kindOf(name: string, property: InputProperty): FormField['kind'] {
  const { format = '' } = property
  const types = typesOf(property)
  if (property.enum !== undefined && property.enum.length > 0) return 'select'
  if (types.includes('boolean')) return 'checkbox'
  if (types.includes('array') || types.includes('object')) return 'area'
  // One line would lose the line ends of a private key or a key file.
  if (AREA_FORMATS.has(format) || AREA_NAME.test(name)) return 'area'
  if (isMasked(name, property)) return 'secret'
  if (types.includes('number') || types.includes('integer')) return 'number'
  return KINDS[format] ?? 'text'
}

const AREA_FORMATS = new Set(['json', 'multiline', 'textarea', 'pem'])
const AREA_NAME = /private_?key|service_?account|certificate|(?:^|_)(?:pem|json)(?:_|$)/i
const KINDS: Readonly<Record<string, FormField['kind']>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  url: 'url',
}

function attributesOf(kind: FormField['kind'], property: InputProperty): Attributes {
  const given = property as Readonly<Record<string, unknown>>
  const isWritten = kind !== 'select' && kind !== 'checkbox'
  return {
    placeholder: isWritten ? textOf(property['x-placeholder'])?.slice(0, 100) : undefined,
    // Browsers pass over "off" on passwords and would offer a stored one: a new one is what is asked for.
    autocomplete: kind === 'secret' ? 'new-password' : kind === 'email' ? 'email' : 'off',
    spellcheck: isWritten ? 'false' : undefined,
    inputmode: kind === 'number' ? (hasInteger(property) ? 'numeric' : 'decimal') : undefined,
    minlength: isWritten ? count(property.minLength) : undefined,
    maxlength: isWritten ? count(given.maxLength) : undefined,
    pattern: isWritten && kind !== 'area' ? patternHint(property.pattern) : undefined,
  }
}

function hasInteger(property: InputProperty): boolean {
  const types = typesOf(property)
  return types.includes('integer') && !types.includes('number')
}

/** The JSON types that a value may have. */
export function typesOf({ type }: InputProperty): readonly string[] {
  return typeof type === 'string' ? [type] : (type ?? [])
}

function initialOf({ default: given }: InputProperty): string {
  return ['string', 'number', 'boolean'].includes(typeof given) ? String(given) : ''
}

function httpsUrl(given: unknown): string | undefined {
  const url = typeof given === 'string' && given.length <= 2_048 ? URL.parse(given) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
    ? url.href
    : undefined
}

function orderOf(property: InputProperty): number {
  const order = property['x-order']
  return typeof order === 'number' && Number.isFinite(order) ? order : Number.MAX_SAFE_INTEGER
}

function count(given: unknown): number | undefined {
  return Number.isSafeInteger(given) && (given as number) >= 0 ? (given as number) : undefined
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined
}
