import type { CommandInput } from '../command.ts'
import type { Io } from '../io.ts'
import { readHidden, readSecret, readText } from '../secret-input.ts'
import { UsageError } from '../usage-error.ts'
import type { Operation, OperationField } from './operation.ts'

/**
 * The body or the query of an operation: the JSON of `--data`, and the fields that were given as options, which win.
 *
 * @throws UsageError for values of the wrong kind, for missing fields, and for secrets on the command line
 */
export async function readFields(
  { fields, input }: Operation,
  options: CommandInput,
  io: Io,
): Promise<Record<string, unknown>> {
  const data = options.get('data')
  const values = data === undefined ? {} : await readData(data, io)
  for (const field of fields) {
    const texts = options.getAll(field.option)
    if (texts.length > 0) values[field.name] = await readField(field, texts, io)
  }
  const missing = fields.filter(({ name, isRequired }) => isRequired && !(name in values))
  if (missing.length > 0) {
    const names = missing.map(({ option }) => `--${option}`).join(', ')
    throw new UsageError(
      `${names} ${missing.length === 1 ? 'is' : 'are'} missing${input === 'body' ? ', or --data' : ''}.`,
    )
  }
  return values
}

async function readData(value: string, io: Io): Promise<Record<string, unknown>> {
  if (value !== '-' && !/^@./.test(value))
    throw new UsageError(
      '--data needs @FILE, or - for standard input: arguments are visible to others.',
    )
  const text =
    value === '-' ? await readHidden('--data: ', io) : await readText('--data', value.slice(1))
  const data = parseJson('--data', text)
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new UsageError('--data must be a JSON object.')
  return { ...data }
}

async function readField(
  { option: name, kind, isSecret }: OperationField,
  texts: readonly string[],
  io: Io,
): Promise<unknown> {
  const option = `--${name}`
  const [first = ''] = texts
  if (isSecret) {
    const text = await readSecret(option, first, io)
    return kind === 'string' ? text : parseJson(option, text)
  }
  if (kind === 'list') return texts
  if (kind === 'record') return parseRecord(option, texts)
  if (kind === 'boolean') return first !== 'false'
  if (kind === 'integer') {
    if (!/^-?\d{1,15}$/.test(first)) throw new UsageError(`${option} must be a whole number.`)
    return Number(first)
  }
  const text = /^@./.test(first) ? await readText(option, first.slice(1)) : first
  return kind === 'json' && /^[[{"]/.test(text) ? parseJson(option, text) : text
}

function parseRecord(option: string, texts: readonly string[]): Record<string, string> {
  const entries = texts.map((text) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (key === undefined || value === undefined) throw new UsageError(`${option} needs KEY=VALUE.`)
    return [key, value]
  })
  return Object.fromEntries(entries)
}

function parseJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes the text.
    throw new UsageError(`${option} is not valid JSON.`)
  }
}
