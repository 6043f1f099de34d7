import { enumOptions } from '../../accounts/credentials/enum-options.ts'
import { optionKey } from '../../definitions/spec/option-key.ts'
import { type FieldErrors, fieldError } from '../../errors.ts'
import { type FormField, getTypes } from './form-field.ts'
import { parseNumber } from './parse-number.ts'

/** What a person sent, as a configuration. */
export interface ParsedForm {
  readonly config: Readonly<Record<string, unknown>>
  /** What was typed, to be shown again: never a secret. */
  readonly entered: ReadonlyMap<string, string>
  /** Whether a secret was among it. */
  readonly hasSecret: boolean
  /** Texts that no database takes. */
  readonly errors: FieldErrors
}

/** The name of a field in the form. */
export function controlName({ name }: Pick<FormField, 'name'>): string {
  return `field.${name}`
}

/**
 * Turns a form into a configuration: only fields that the form asked for, each as the type that the spec wants where the
 * text reads as one. What does not is passed on as text, so that whoever judges it says so. Left empty counts as absent.
 */
export function parseForm(fields: readonly FormField[], form: URLSearchParams): ParsedForm {
  // Of a repeated name the first value counts.
  const submittedFields = new Map([...form].reverse())
  const values: FieldValue[] = []
  const entered = new Map<string, string>()
  const errors: Record<string, FieldErrors[string]> = Object.create(null)
  let hasSecret = false
  for (const field of fields) {
    const rawValue = submittedFields.get(controlName(field)) ?? ''
    // Browsers send the line ends of an area as CRLF; what was typed or pasted there has plain ones.
    const text = field.kind === 'area' ? rawValue.replaceAll('\r\n', '\n') : rawValue
    if (!field.isSecret) entered.set(field.name, text)
    else if (text !== '') hasSecret = true
    if (text.includes('\0') || !text.isWellFormed())
      Object.assign(errors, fieldError(`config.${field.name}`, 'invalid_text', 'Is no text.'))
    const value = parseFieldValue(field, text)
    if (value !== undefined || field.group?.isRequired === true) values.push({ field, value })
  }
  return { config: assembleConfig(values), entered, hasSecret, errors }
}

interface FieldValue {
  readonly field: FormField
  readonly value: unknown
}

/** Puts what belongs into one object there. One that nothing but boxes left open is known of is left out. */
function assembleConfig(values: readonly FieldValue[]): Record<string, unknown> {
  const groups = Map.groupBy(values, ({ field }) => field.group?.name ?? field.name)
  const entries = [...groups].flatMap(([name, members]): [string, unknown][] => {
    const [first] = members
    const group = first?.field.group
    if (group === undefined) return [[name, first?.value]]
    const present = members.filter(({ value }) => value !== undefined)
    if (!group.isRequired && present.every(({ value }) => value === false)) return []
    const namedValues = present.map(({ field, value }) => [
      field.name.slice(name.length + 1),
      value,
    ])
    return [[name, Object.fromEntries(namedValues)]]
  })
  // Not one by one: a field may be called `__proto__`.
  return Object.fromEntries(entries)
}

function parseFieldValue(field: FormField, text: string): unknown {
  if (field.kind === 'checkbox') return text === 'true'
  const value = PASSWORD_NAME.test(field.name) ? text : text.trim()
  if (value === '') return undefined
  if (field.kind === 'select') return selectedValue(field, value)
  const types = getTypes(field.property)
  if (types.includes('string') || types.length === 0) return value
  if (types.includes('number') || types.includes('integer')) return parseNumber(value) ?? value
  if (types.includes('array') && !value.startsWith('['))
    return splitLines(value).map((line) => parseItem(field, line))
  return parseJson(value)
}

/** Trimmed one by one: a pattern with blanks on both sides of the line end walks a long run of them from each blank. */
function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function selectedValue({ property }: FormField, selected: string): unknown {
  const choice = enumOptions(property)?.find(({ value }) => optionKey(value) === selected)
  return choice === undefined ? selected : choice.value
}

/** One line of a list: a number where the spec says that its items are numbers. */
function parseItem({ property }: FormField, line: string): unknown {
  const { items } = property as { readonly items?: { readonly type?: unknown } | null }
  const isNumber = items?.type === 'number' || items?.type === 'integer'
  return isNumber ? (parseNumber(line) ?? line) : line
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Blanks around a key come from copying; those of a password may be meant. */
export const PASSWORD_NAME = /passw|passphrase/i
