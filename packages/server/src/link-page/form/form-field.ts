import type { InputProperty } from '@linchpin/runner'
import { choicesOf } from '../../account/config/choices-of.ts'
import { choiceName } from '../../definition/spec/choice-name.ts'
import type { Attributes } from '../../page/attributes.ts'
import type { Field } from '../../page/components/field.ts'
import { fieldLabel } from './field-label.ts'
import { innerFields } from './inner-fields.ts'
import { isMasked } from './is-masked.ts'
import { patternHint } from './pattern-hint.ts'

/** One question of a form, as a spec asks it. Every text in it is the integration's. */
export interface FormField {
  /** Its name in the configuration; inside an object, with the name of that before it and a dot between. */
  readonly name: string
  readonly group: FieldGroup | undefined
  readonly id: string
  readonly label: string
  readonly kind: Field['kind']
  readonly isRequired: boolean
  /** May be left empty, and the spec says so. */
  readonly isOptional: boolean
  /** Never sent back to the page. */
  readonly isSecret: boolean
  readonly help: string | undefined
  readonly helpUrl: string | undefined
  /** How an answer is written that holds several values. */
  readonly entry: 'linesHelp' | 'jsonHelp' | undefined
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly initial: string
  readonly attributes: Attributes
  readonly property: InputProperty
}

/** The object that a field is in. */
export interface FieldGroup {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly isOptional: boolean
  /** There is one always, even if nothing in it is answered. */
  readonly isNeeded: boolean
}

const MAX_HELP = 500
const MAX_LABEL = 100

/** One question, before it is known how it looks. */
export interface Question {
  readonly name: string
  readonly property: InputProperty
  /** `open`: the spec does not say. */
  readonly need: 'required' | 'optional' | 'open'
  readonly group?: FieldGroup | undefined
}

export function toField({ name, property, need, group }: Question, index: number): FormField {
  const kind = kindOf(name, property)
  const isSecret = isMasked(name, property)
  return {
    name: group === undefined ? name : `${group.name}.${name}`,
    group,
    id: `field-${index}`,
    label: fieldLabel(name, property),
    kind,
    // Ticked or not, a box is an answer.
    isRequired: need === 'required' && kind !== 'checkbox',
    isOptional: need === 'optional' && kind !== 'checkbox',
    isSecret,
    help: textOf(property.description)?.slice(0, MAX_HELP),
    helpUrl: httpsUrl(property['x-help-url']),
    entry: entryOf(kind, property),
    options: optionsOf(property),
    initial: isSecret ? '' : initialOf(property, need),
    attributes: attributesOf(kind, property),
    property,
  }
}

function optionsOf(property: InputProperty) {
  return (choicesOf(property) ?? []).map(({ value, label }) => ({
    value: choiceName(value),
    text: textOf(label)?.slice(0, MAX_LABEL) ?? choiceName(value),
  }))
}

function kindOf(name: string, property: InputProperty): FormField['kind'] {
  const { format = '' } = property
  const types = typesOf(property)
  if (property.enum === undefined && types.includes('boolean')) return 'checkbox'
  if (choicesOf(property) !== undefined) return 'select'
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
  const isWritten = kind !== 'select' && kind !== 'checkbox'
  return {
    placeholder: isWritten ? placeholderOf(property)?.slice(0, 100) : undefined,
    // Browsers pass over "off" on passwords and would offer a stored one: a new one is what is asked for.
    autocomplete: kind === 'secret' ? 'new-password' : kind === 'email' ? 'email' : 'off',
    spellcheck: isWritten ? 'false' : undefined,
    inputmode: kind === 'number' ? (hasInteger(property) ? 'numeric' : 'decimal') : undefined,
    pattern: isWritten && kind !== 'area' ? patternHint(property.pattern) : undefined,
  }
}

function hasInteger(property: InputProperty): boolean {
  const types = typesOf(property)
  return types.includes('integer') && !types.includes('number')
}

/** A list of plain values is written one a line; whatever holds names as well, as JSON. */
function entryOf(kind: FormField['kind'], property: InputProperty): FormField['entry'] {
  const types = typesOf(property)
  if (kind !== 'area' || types.includes('string')) return undefined
  const isList = types.includes('array') && Object.keys(innerFields(property)).length === 0
  if (isList) return 'linesHelp'
  return types.includes('array') || types.includes('object') ? 'jsonHelp' : undefined
}

/** The JSON types that a value may have. */
export function typesOf({ type }: InputProperty): readonly string[] {
  return [type ?? []].flat().filter((one) => typeof one === 'string')
}

/** Where one value alone is taken, it is there already. */
function initialOf(property: InputProperty, need: Question['need']): string {
  const [only, second] = choicesOf(property) ?? []
  const isGiven = second === undefined && (need === 'required' || property.const !== undefined)
  const given = property.default ?? (isGiven ? only?.value : undefined)
  return ['string', 'number', 'boolean'].includes(typeof given) ? String(given) : ''
}

/** The spec's own example; for a list of objects, the names of what belongs into each. */
function placeholderOf(property: InputProperty): string | undefined {
  const names = Object.keys(innerFields(property))
  const own = textOf(property['x-placeholder'])
  return names.length === 0 || own !== undefined
    ? own
    : JSON.stringify([Object.fromEntries(names.map((name) => [name, '…']))])
}

function httpsUrl(given: unknown): string | undefined {
  const url = typeof given === 'string' && given.length <= 2_048 ? URL.parse(given) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
    ? url.href
    : undefined
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined
}
