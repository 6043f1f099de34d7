import { choicesOf } from '../../account/config/choices-of.ts'
import { choiceName } from '../../definition/spec/choice-name.ts'
import { type FieldErrors, fieldError } from '../../errors.ts'
import { type FormField, typesOf } from './form-field.ts'
import { readNumber } from './read-number.ts'

/** What a person sent, as a configuration. */
export interface ReadConfig {
  readonly config: Readonly<Record<string, unknown>>
  /** What was typed, to be shown again: never a secret. */
  readonly typed: ReadonlyMap<string, string>
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
export function readConfig(fields: readonly FormField[], form: URLSearchParams): ReadConfig {
  // Of a repeated name the first value counts.
  const sentFields = new Map([...form].reverse())
  const given: Given[] = []
  const typed = new Map<string, string>()
  const errors: Record<string, FieldErrors[string]> = Object.create(null)
  let hasSecret = false
  for (const field of fields) {
    const sent = sentFields.get(controlName(field)) ?? ''
    // Browsers send the line ends of an area as CRLF; what was typed or pasted there has plain ones.
    const text = field.kind === 'area' ? sent.replaceAll('\r\n', '\n') : sent
    if (!field.isSecret) typed.set(field.name, text)
    else if (text !== '') hasSecret = true
    if (text.includes('\0') || !text.isWellFormed())
      Object.assign(errors, fieldError(`config.${field.name}`, 'invalid_text', 'Is no text.'))
    const value = configValue(field, text)
    if (value !== undefined || field.group?.isNeeded === true) given.push({ field, value })
  }
  return { config: assembled(given), typed, hasSecret, errors }
}

interface Given {
  readonly field: FormField
  readonly value: unknown
}

/** Puts what belongs into one object there. One that nothing but boxes left open is known of is left out. */
function assembled(given: readonly Given[]): Record<string, unknown> {
  const groups = Map.groupBy(given, ({ field }) => field.group?.name ?? field.name)
  const entries = [...groups].flatMap(([name, all]): [string, unknown][] => {
    const [first] = all
    const group = first?.field.group
    if (group === undefined) return [[name, first?.value]]
    const inner = all.filter(({ value }) => value !== undefined)
    if (!group.isNeeded && inner.every(({ value }) => value === false)) return []
    const named = inner.map(({ field, value }) => [field.name.slice(name.length + 1), value])
    return [[name, Object.fromEntries(named)]]
  })
  // Not one by one: a field may be called `__proto__`.
  return Object.fromEntries(entries)
}

function configValue(field: FormField, text: string): unknown {
  if (field.kind === 'checkbox') return text === 'true'
  const given = PASSWORD.test(field.name) ? text : text.trim()
  if (given === '') return undefined
  if (field.kind === 'select') return chosen(field, given)
  const types = typesOf(field.property)
  if (types.includes('string') || types.length === 0) return given
  if (types.includes('number') || types.includes('integer')) return readNumber(given) ?? given
  if (types.includes('array') && !given.startsWith('['))
    return linesOf(given).map((line) => itemValue(field, line))
  return parsed(given)
}

/** Trimmed one by one: a pattern with blanks on both sides of the line end walks a long run of them from each blank. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function chosen({ property }: FormField, given: string): unknown {
  const choice = choicesOf(property)?.find(({ value }) => choiceName(value) === given)
  return choice === undefined ? given : choice.value
}

/** One line of a list: a number where the spec says that its items are numbers. */
function itemValue({ property }: FormField, line: string): unknown {
  const { items } = property as { readonly items?: { readonly type?: unknown } | null }
  const isNumber = items?.type === 'number' || items?.type === 'integer'
  return isNumber ? (readNumber(line) ?? line) : line
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Blanks around a key come from copying; those of a password may be meant. */
export const PASSWORD = /passw|passphrase/i
