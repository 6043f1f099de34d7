import { escapeControls } from './escape-controls.ts'

/** A column of a table. */
export interface Column {
  readonly title: string
  /** The field, as in `lastError.code`. */
  readonly path: string
  readonly kind: 'text' | 'tool' | 'age' | 'id'
  /** Whether a narrow terminal shows it too. */
  readonly isEssential?: boolean
}

export interface TableOptions {
  readonly width: number
  /** Whether the names of the columns are bold. */
  readonly isBold: boolean
  /** Default: all fields that are no lists and objects, as far as they fit. */
  readonly columns?: readonly Column[] | undefined
  /** The keys of definitions by their IDs. */
  readonly tools?: ReadonlyMap<string, string>
  readonly now: number
}

interface FilledColumn extends Column {
  readonly cells: readonly string[]
  readonly width: number
}

/** Columns that say little in a table without chosen columns. */
const MINOR_FIELDS = /^(workspaceId|updatedAt|sequence|hash|.*[uU][rR][lL]s?)$/
const MAX_COLUMN = 40
const GAP = '  '

/** Rows with aligned columns, no wider than the terminal. Columns without values, and those that do not fit, are left out. */
export function formatTable(items: readonly object[], options: TableOptions): string {
  const { columns = listColumns(items), width, isBold } = options
  const filled = columns
    .map((column) => fillColumn(column, items, options))
    .filter(({ cells, isEssential }) => isEssential || cells.some((cell) => cell !== ''))
  const shown = fitColumns(filled, width)
  const line = (getCell: (column: FilledColumn) => string) =>
    truncate(
      shown
        .map((column) => truncate(getCell(column), column.width).padEnd(column.width))
        .join(GAP)
        .trimEnd(),
      width,
    )
  const header = line(({ title }) => title)
  const rows = items.map((_, index) => line(({ cells }) => cells[index] ?? ''))
  return `${[isBold ? `\u001b[1m${header}\u001b[0m` : header, ...rows].join('\n')}\n`
}

function listColumns(items: readonly object[]): Column[] {
  return [...new Set(items.flatMap((item) => Object.keys(item)))]
    .filter((name) => !MINOR_FIELDS.test(name))
    .filter((name) => items.some((item) => isShort(Reflect.get(item, name))))
    .map((name, index) => ({ title: name, path: name, kind: 'text', isEssential: index === 0 }))
}

function fillColumn(column: Column, items: readonly object[], options: TableOptions): FilledColumn {
  const cells = items.map((item) => formatColumnCell(column, item, options))
  const longest = Math.max(column.title.length, ...cells.map((cell) => cell.length))
  return { ...column, cells, width: column.kind === 'id' ? longest : Math.min(longest, MAX_COLUMN) }
}

function formatColumnCell(
  { path, kind }: Column,
  item: object,
  { tools, now }: TableOptions,
): string {
  const value = path
    .split('.')
    .reduce<unknown>((found, name) => Reflect.get(Object(found), name), item)
  if (kind === 'age') return typeof value === 'string' ? formatAge(now - Date.parse(value)) : ''
  if (kind !== 'tool') return formatCell(value)
  return [value ?? []]
    .flat()
    .map((id) => formatCell(tools?.get(String(id)) ?? id))
    .join(', ')
}

/** Leaves out columns from the end, except essential ones, until the rest fits. */
function fitColumns(columns: readonly FilledColumn[], width: number): readonly FilledColumn[] {
  const used = columns.reduce((sum, column) => sum + column.width, 0)
  if (used + GAP.length * (columns.length - 1) <= width) return columns
  const last = columns.findLastIndex(({ isEssential }) => !isEssential)
  return last === -1 ? columns : fitColumns(columns.toSpliced(last, 1), width)
}

/** `40s`, `12m`, `31h` or `5d`. */
function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 48 * 3_600
    ? `${Math.floor(seconds / 3_600)}h`
    : `${Math.floor(seconds / 86_400)}d`
}

function isShort(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** A value on one line: lists of short values with commas, times to the minute, other objects as JSON. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return `${value.slice(0, 10)} ${value.slice(11, 16)}Z`
  if (Array.isArray(value) && value.every(isShort)) return value.map(formatCell).join(', ')
  return isShort(value) ? clean(String(value)) : clean(JSON.stringify(value))
}

/** In one line, without the characters that control a terminal. */
function clean(text: string): string {
  return escapeControls(text.replace(/[\t\n\r]+/g, ' '))
}

function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
