import { formatCell } from './table.ts'

const GAP = '  '

/** The fields of an object, one per line, and those of objects inside it below their names. Nothing is cut. */
export function formatRecord(record: object): string {
  return formatFields(record).join('\n').concat('\n')
}

function formatFields(record: object): string[] {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  const indent = Math.max(0, ...entries.map(([name]) => name.length)) + GAP.length
  return entries.flatMap(([key, value]) => {
    const name = formatCell(key)
    const nested = formatNested(value)
    return nested === undefined
      ? [`${name.padEnd(indent)}${formatCell(value)}`.trimEnd()]
      : [name, ...nested.map((line) => GAP + line)]
  })
}

/** The lines of an object or of a list of objects; undefined for what fits on the line of its name. */
function formatNested(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return undefined
  if (!Array.isArray(value)) return formatFields(value)
  if (!value.some((item) => typeof item === 'object' && item !== null)) return undefined
  return value.flatMap(formatItem)
}

function formatItem(item: unknown): string[] {
  if (isCheck(item)) {
    const mark = MARKS[item.status] ?? '?'
    return [`${mark} ${formatCell(item.name)}: ${formatCell(item.message)}`]
  }
  const [head = '', ...others] = formatNested(item) ?? [formatCell(item)]
  return [`- ${head}`, ...others.map((line) => GAP + line)]
}

const MARKS: Readonly<Record<string, string>> = { ok: '✓', warning: '!', failed: '✗' }

/** The result of a check, as that of `oauth-apps test`. */
interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
}

function isCheck(item: unknown): item is Check {
  const { name, status, message } = Object(item) as Partial<Check>
  return [name, status, message].every((text) => typeof text === 'string')
}
