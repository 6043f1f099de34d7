import { escapeControls } from './escape-controls.ts'

/** Columns that say little in a table. */
const MINOR_FIELDS = /^(workspaceId|updatedAt|sequence|hash|.*[uU][rR][lL]s?)$/
const MAX_COLUMN = 40
const GAP = '  '

interface TableOptions {
  readonly width: number
  /** Whether the names of the columns are bold. */
  readonly isBold: boolean
}

/** Rows with aligned columns, no wider than the terminal. Columns that do not fit are left out. */
export function formatTable(items: readonly object[], { width, isBold }: TableOptions): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (name) => !MINOR_FIELDS.test(name) && items.some((item) => isShort(Reflect.get(item, name))),
  )
  const columns = names.map((name) => {
    const cells = items.map((item) => formatCell(Reflect.get(item, name)))
    const longest = Math.max(name.length, ...cells.map((cell) => cell.length))
    return { name, cells, width: Math.min(longest, MAX_COLUMN) }
  })
  const shown: typeof columns = []
  let used = 0
  for (const column of columns) {
    if (shown.length > 0 && used + GAP.length + column.width > width) continue
    used += column.width + (shown.length > 0 ? GAP.length : 0)
    shown.push(column)
  }
  const line = (getCell: (column: (typeof columns)[number]) => string) =>
    truncate(
      shown
        .map((column) => truncate(getCell(column), column.width).padEnd(column.width))
        .join(GAP)
        .trimEnd(),
      width,
    )
  const header = line(({ name }) => name)
  const rows = items.map((_, index) => line(({ cells }) => cells[index] ?? ''))
  return `${[isBold ? `\u001b[1m${header}\u001b[0m` : header, ...rows].join('\n')}\n`
}

/** The fields of an object, one per line. */
export function formatRecord(record: object, width: number): string {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  const indent = Math.max(0, ...entries.map(([name]) => name.length)) + GAP.length
  return entries
    .map(([name, value]) => {
      const cell =
        isShort(value) || value === null ? formatCell(value) : clean(JSON.stringify(value))
      // Cut values cannot be copied: only lists and objects are cut.
      return `${name.padEnd(indent)}${isShort(value) ? cell : truncate(cell, Math.max(20, width - indent))}\n`
    })
    .join('')
}

function isShort(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return `${value.slice(0, 10)} ${value.slice(11, 16)}Z`
  return isShort(value) ? clean(String(value)) : clean(JSON.stringify(value))
}

/** In one line, without the characters that control a terminal. */
function clean(text: string): string {
  return escapeControls(text.replace(/[\t\n\r]+/g, ' '))
}

function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
