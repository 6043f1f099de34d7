import type { InputProperty } from '@linchpin/runner'
import {
  isMasked,
  listNestedFields,
} from '../../../accounts/accounts/credentials/list-prompt-fields.ts'
import { listEnumOptions } from '../../../accounts/accounts/credentials/validate-config.ts'
import { getOptionKey } from '../../../integrations/definitions/spec/spec-schema.ts'
import type { Field } from '../../../platform/ui/field.ts'
import type { Attributes } from '../../../platform/ui/html.ts'

/** A field of the credentials form. All texts come from the integration's spec. */
export interface FormField {
  /** Path in the configuration, such as `api_key` or `proxy.host`. */
  readonly name: string
  readonly group: FieldGroup | undefined
  readonly id: string
  readonly label: string
  readonly kind: Field['kind']
  /** The JSON types that the spec allows. */
  readonly types: readonly string[]
  readonly isRequired: boolean
  /** Whether the spec declares the field optional. */
  readonly isOptional: boolean
  /** Secrets are never rendered into the page. */
  readonly isSecret: boolean
  readonly help: string | undefined
  readonly helpUrl: string | undefined
  /** How to enter a list or an object. */
  readonly inputFormat: 'linesHelp' | 'jsonHelp' | undefined
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly initial: string
  /** Whether `initial` is stored in the account that is reconnected. */
  readonly isStored?: boolean
  readonly attributes: Attributes
  readonly property: InputProperty
}

/** The object that contains a field. */
export interface FieldGroup {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly isOptional: boolean
  /** The object is always part of the configuration, even when its fields are empty. */
  readonly isRequired: boolean
  readonly property: InputProperty
}

export const MAX_HELP = 500
export const MAX_LABEL = 100

/** A field of the spec before rendering. */
export interface RawField {
  readonly name: string
  readonly property: InputProperty
  readonly requirement: 'required' | 'optional' | 'unspecified'
  readonly group?: FieldGroup | undefined
}

export function toFormField(
  { name, property, requirement, group }: RawField,
  index: number,
): FormField {
  const kind = getKind(name, property)
  const isSecret = isMasked(name, property)
  return {
    name: group === undefined ? name : `${group.name}.${name}`,
    group,
    id: `field-${index}`,
    label: getFieldLabel(name, property),
    kind,
    types: getTypes(property),
    // An unticked checkbox is a valid value.
    isRequired: requirement === 'required' && kind !== 'checkbox',
    isOptional: requirement === 'optional' && kind !== 'checkbox',
    isSecret,
    help: toText(property.description)?.slice(0, MAX_HELP),
    helpUrl: httpsUrl(property['x-help-url']),
    inputFormat: getInputFormat(kind, property),
    options: getOptions(property),
    initial: isSecret ? '' : getInitialValue(property, requirement),
    attributes: getAttributes(kind, property),
    property,
  }
}

function getOptions(property: InputProperty) {
  return (listEnumOptions(property) ?? []).map(({ value, label }) => ({
    value: getOptionKey(value),
    text: toText(label)?.slice(0, MAX_LABEL) ?? getOptionKey(value),
  }))
}

function getKind(name: string, property: InputProperty): FormField['kind'] {
  const { format = '' } = property
  const types = getTypes(property)
  if (property.enum === undefined && types.includes('boolean')) return 'checkbox'
  if (listEnumOptions(property) !== undefined) return 'select'
  if (types.includes('boolean')) return 'checkbox'
  if (types.includes('array') || types.includes('object')) return 'area'
  // A single-line input would drop the line breaks of a private key or key file.
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

function getAttributes(kind: FormField['kind'], property: InputProperty): Attributes {
  const isTextInput = kind !== 'select' && kind !== 'checkbox'
  return {
    placeholder: isTextInput ? getPlaceholder(property)?.slice(0, 100) : undefined,
    // Browsers ignore "off" on password inputs and would offer a stored password.
    autocomplete: kind === 'secret' ? 'new-password' : kind === 'email' ? 'email' : 'off',
    spellcheck: isTextInput ? 'false' : undefined,
    inputmode: kind === 'number' ? (hasInteger(property) ? 'numeric' : 'decimal') : undefined,
    pattern: isTextInput && kind !== 'area' ? getPatternHint(property.pattern) : undefined,
  }
}

function hasInteger(property: InputProperty): boolean {
  const types = getTypes(property)
  return types.includes('integer') && !types.includes('number')
}

/** A list of plain values has one value per line; lists of objects and objects are JSON. */
function getInputFormat(
  kind: FormField['kind'],
  property: InputProperty,
): FormField['inputFormat'] {
  const types = getTypes(property)
  if (kind !== 'area' || types.includes('string')) return undefined
  const isList = types.includes('array') && Object.keys(listNestedFields(property)).length === 0
  if (isList) return 'linesHelp'
  return types.includes('array') || types.includes('object') ? 'jsonHelp' : undefined
}

/** The JSON types of a property. */
export function getTypes({ type }: InputProperty): readonly string[] {
  return [type ?? []].flat().filter((one) => typeof one === 'string')
}

/** The initial value; the only allowed value is preselected. */
function getInitialValue(property: InputProperty, requirement: RawField['requirement']): string {
  const [onlyChoice, secondChoice] = listEnumOptions(property) ?? []
  const hasSingleChoice =
    secondChoice === undefined && (requirement === 'required' || property.const !== undefined)
  const value = property.default ?? (hasSingleChoice ? onlyChoice?.value : undefined)
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}

/** The spec's placeholder; for a list of objects, an object with their property names. */
function getPlaceholder(property: InputProperty): string | undefined {
  const names = Object.keys(listNestedFields(property))
  const explicit = toText(property['x-placeholder'])
  return names.length === 0 || explicit !== undefined
    ? explicit
    : JSON.stringify([Object.fromEntries(names.map((name) => [name, '…']))])
}

function httpsUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 2_048 ? URL.parse(value) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
    ? url.href
    : undefined
}

/** A trimmed text; undefined if it is empty or of another type. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

const MAX_TITLE = 100
/** Words that are written in upper case. */
const UPPERCASE_WORDS = new Set([
  'api',
  'id',
  'url',
  'uri',
  'pat',
  'sid',
  'pin',
  'ssl',
  'aws',
  'sso',
])

/** The label of a field: its title, else its name as words (`api_key` → "API key"). */
export function getFieldLabel(name: string, { title }: InputProperty): string {
  const explicitTitle = typeof title === 'string' ? title.trim() : ''
  return (explicitTitle === '' ? humanize(name) : explicitTitle).slice(0, MAX_TITLE)
}

function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
    .map((word) => (UPPERCASE_WORDS.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words === '' ? name : words.replace(/^./u, (firstLetter) => firstLetter.toUpperCase())
}

/**
 * A spec's pattern as a `pattern` attribute, or undefined when it may be unsafe. Patterns are untrusted: only anchored ones
 * of characters, classes and counts pass, with at most one unbounded quantifier. The server validates every pattern in the
 * sandbox in any case.
 */
function getPatternHint(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 200 || !SAFE_PATTERN.test(pattern))
    return undefined
  const unboundedQuantifiers = pattern.match(/[+*]|,\}/g)?.length ?? 0
  // Browsers compile the attribute with the stricter `v` flag, which requires a trailing hyphen to be escaped.
  return unboundedQuantifiers <= 1 ? pattern.replace(/(?<!\\)-\]/g, String.raw`\-]`) : undefined
}

const CHARACTER = String.raw`[A-Za-z0-9_:@ =-]|\\[.dwWDsS+*?()/]`
const CLASS = String.raw`\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.:@ =]|\\[dw.\-])+-?\]`
const CHOICE = String.raw`\((?:\?:)?[A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*\)`
const COUNT = String.raw`(?:\{\d{1,3}(?:,\d{0,3})?\}|[+*?])?`
const SAFE_PATTERN = new RegExp(String.raw`^\^(?:(?:${CLASS}|${CHOICE}|${CHARACTER})${COUNT})+\$$`)
