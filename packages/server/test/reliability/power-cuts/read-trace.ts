import { createReadStream } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** What a process did to a file, or sent to a client, in the order of its system calls. */
export type Operation =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  /** Everything before the operation `since` is on the disk now. */
  | { readonly kind: 'sync'; readonly file: string; readonly since: number }
  | { readonly kind: 'send'; readonly text: string }

/** Arguments of strace: it records the contents of every write. */
export const STRACE_ARGS = [
  ...['-f', '-y', '-xx', '-s', '4000000', '-e', 'signal=none'],
  ...['-e', 'trace=pwrite64,write,writev,fsync,fdatasync,ftruncate'],
]

/** Reads a trace of strace: what happened to the files of these names, and what was sent through sockets. */
export async function readTrace(file: string, names: readonly string[]): Promise<Operation[]> {
  const operations: Operation[] = []
  /** By thread: a call that has begun, and where. */
  const unfinished = new Map<string, { readonly call: string; readonly since: number }>()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const resumed = unfinished.get(thread)
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, { call: rest, since: operations.length })
      continue
    }
    unfinished.delete(thread)
    const isResumed = rest.startsWith('<... ') && resumed !== undefined
    const operation = parseCall(
      isResumed ? resumed.call : rest,
      names,
      isResumed ? resumed.since : operations.length,
    )
    if (operation !== undefined && !/ = -1 /.test(rest)) operations.push(operation)
  }
  return operations
}

function parseCall(call: string, names: readonly string[], since: number): Operation | undefined {
  const [, name, target = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(call) ?? []
  if (name === undefined) return undefined
  const place = decode(target).toString()
  const strings = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    decode(text),
  )
  if (name === 'write' || name === 'writev')
    return place.startsWith('TCP') || place.startsWith('socket')
      ? { kind: 'send', text: Buffer.concat(strings).toString() }
      : undefined
  const file = path.basename(place)
  if (!names.includes(file)) return undefined
  const numbers = [...call.matchAll(/, (\d+)(?=[,) ])/g)].map(([, text]) => Number(text))
  if (name === 'pwrite64')
    return { kind: 'write', file, at: numbers.at(-1) ?? 0, data: strings[0] ?? Buffer.alloc(0) }
  if (name === 'ftruncate') return { kind: 'truncate', file, size: numbers[0] ?? 0 }
  return { kind: 'sync', file, since }
}

function decode(text: string): Buffer {
  return text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text)
}
