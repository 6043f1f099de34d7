import type { CommandContext } from '../command.ts'
import { toJsonLine } from './escape-controls.ts'
import { formatRecord } from './record.ts'
import { type Column, formatTable } from './table.ts'

/** Prints an object: its fields on a terminal, a JSON line otherwise. */
export async function printResult(
  result: unknown,
  { io, isJson }: Pick<CommandContext, 'io' | 'isJson'>,
): Promise<void> {
  const isRecord = typeof result === 'object' && result !== null && !Array.isArray(result)
  io.stdout.write(isJson || !isRecord ? toJsonLine(result) : formatRecord(result))
}

/** How many items a terminal shows unless `--limit` says otherwise. */
const TERMINAL_ITEMS = 100

export interface ListOptions {
  readonly limit: number | undefined
  /** Those of the table. */
  readonly columns: readonly Column[] | undefined
  /** The keys of definitions by their IDs, for a table that needs them. */
  loadTools(): Promise<ReadonlyMap<string, string>>
}

/** Prints a list: a table on a terminal, a JSON line for each item otherwise. */
export async function printList(
  list: AsyncIterable<unknown>,
  { limit, columns, loadTools }: ListOptions,
  { io, isJson }: Pick<CommandContext, 'io' | 'isJson'>,
): Promise<void> {
  const maximum = limit ?? (isJson ? Number.POSITIVE_INFINITY : TERMINAL_ITEMS)
  const items: object[] = []
  let count = 0
  for await (const item of list) {
    if (count === maximum) {
      if (limit === undefined) io.stderr.write(`These are the first ${count}: see --limit.\n`)
      break
    }
    count += 1
    if (isJson) io.stdout.write(toJsonLine(item))
    else items.push(typeof item === 'object' && item !== null ? item : { value: item })
    if (count === maximum && limit !== undefined) break
  }
  if (isJson) return
  if (items.length === 0) io.stderr.write('There are none.\n')
  else {
    const hasTools = columns?.some(({ kind }) => kind === 'tool')
    const tools = hasTools ? await loadTools() : new Map<string, string>()
    const { NO_COLOR: noColor } = io.env
    const width = io.stdout.columns ?? 120
    io.stdout.write(formatTable(items, { columns, tools, width, isBold: !noColor, now: io.now() }))
  }
}
