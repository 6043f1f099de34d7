import {
  listEnumOptions,
  trimText,
} from '../../../accounts/accounts/credentials/validate-config.ts'
import { getOptionKey } from '../../../integrations/definitions/spec/spec-schema.ts'
import { type FieldErrors, fieldError } from '../../../platform/errors.ts'
import type { FormField } from './form-field.ts'
import { parseNumber } from './parse-number.ts'

/** A submitted form, parsed. */
export interface ParsedForm {
  readonly config: Readonly<Record<string, unknown>>
  /** The entered values to render again, without secrets. */
  readonly entered: ReadonlyMap<string, string>
  /** Whether a secret was entered. */
  readonly hasSecret: boolean
  /** Errors for text that databases can't store. */
  readonly errors: FieldErrors
}

/** The name of a field in the form. */
export function getControlName({ name }: Pick<FormField, 'name'>): string {
  return `field.${name}`
}

/**
 * Parses a form into a configuration. Only fields of the form are included, converted to the type in the spec where the
 * text can be parsed; other text is passed unchanged and fails validation. Empty fields are absent.
 */
export function parseForm(fields: readonly FormField[], form: URLSearchParams): ParsedForm {
  // The first of duplicate values wins.
  const submittedFields = new Map([...form].reverse())
  const values: FieldValue[] = []
  const entered = new Map<string, string>()
  const errors: Record<string, FieldErrors[string]> = Object.create(null)
  let hasSecret = false
  for (const field of fields) {
    const rawValue = submittedFields.get(getControlName(field)) ?? ''
    // Browsers submit line breaks of a textarea as CRLF; the entered text has LF.
    const text = field.kind === 'area' ? rawValue.replaceAll('\r\n', '\n') : rawValue
    if (!field.isSecret) entered.set(field.name, text)
    else if (text !== '') hasSecret = true
    if (text.includes('\0') || !text.isWellFormed())
      Object.assign(
        errors,
        fieldError(`config.${field.name}`, 'invalid_text', 'Must be well-formed text without NUL.'),
      )
    const value = parseFieldValue(field, text)
    if (value !== undefined || field.group?.isRequired === true) values.push({ field, value })
  }
  return { config: assembleConfig(values), entered, hasSecret, errors }
}

/**
 * The same with the answers to questions for facts, which only the form that asks has. The connect session may give the
 * answer before.
 */
export function withAnswers(
  parsedForm: ParsedForm,
  names: readonly string[],
  form: URLSearchParams,
  given: Readonly<Record<string, unknown>>,
): ParsedForm {
  const answers = names.flatMap((name) => {
    const preset = Object.hasOwn(given, name) ? String(given[name]) : ''
    const answer = form.get(getControlName({ name })) ?? preset
    return answer === '' ? [] : [[name, answer] as const]
  })
  if (answers.length === 0) return parsedForm
  return {
    ...parsedForm,
    config: { ...parsedForm.config, ...Object.fromEntries(answers) },
    entered: new Map([...parsedForm.entered, ...answers]),
  }
}

interface FieldValue {
  readonly field: FormField
  readonly value: unknown
}

/** Assembles nested objects. An optional object is left out when it contains nothing but unticked checkboxes. */
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
  // Use Object.fromEntries: assigning keys would let `__proto__` pollute the prototype.
  return Object.fromEntries(entries)
}

function parseFieldValue(field: FormField, text: string): unknown {
  if (field.kind === 'checkbox') return text === 'true'
  const value = text === '' ? '' : trimText(field.name, text)
  if (value === '') return undefined
  if (field.kind === 'select') return getSelectedValue(field, value)
  const { types } = field
  if (types.includes('string') || types.length === 0) return value
  if (types.includes('number') || types.includes('integer')) return parseNumber(value) ?? value
  if (types.includes('array') && !value.trimStart().startsWith('['))
    return splitLines(value).map((line) => parseItem(field, line))
  return parseJson(value)
}

/** Trims line by line: a pattern with whitespace around the line break would be quadratic in a run of whitespace. */
function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function getSelectedValue({ property }: FormField, selected: string): unknown {
  const choice = listEnumOptions(property)?.find(({ value }) => getOptionKey(value) === selected)
  return choice === undefined ? selected : choice.value
}

/** One item of a list, converted to a number if the spec defines numeric items. */
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
